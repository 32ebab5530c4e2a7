// Transformations of names with all their uses: removal of parameters with their arguments, inlining of values.
#include "frontends/attn/Parse/Walk.h"
#include "tools/attn-reduce/Model/ModelText.h"

namespace attnc::reduce {

using namespace ast;

namespace {

/// A function or a module. Calls of another callable of the same name are edited, too; the test then rejects the
/// change.
struct Callable {
  std::string name;
  const std::vector<Parameter> *parameters;
};

} // namespace

static std::vector<Callable> callablesOf(const File &file) {
  std::vector<Callable> callables;
  auto addFunctions = [&](const std::vector<FunctionDecl> &functions) {
    for (const FunctionDecl &function : functions)
      callables.push_back({function.name ? function.name->text : "", &function.parameters});
  };
  addFunctions(file.functions);
  for (const ModuleDecl &module : file.modules) {
    callables.push_back({module.name.text, &module.parameters});
    addFunctions(module.functions);
  }
  for (const OptimizerDecl &optimizer : file.optimizers)
    callables.push_back({optimizer.name.text, &optimizer.parameters});
  return callables;
}

/// The last word of a callee: `f` for `f(x)` and for `layer.f(x)`.
static std::string calleeOf(const CallExpr &call) {
  if (auto *name = call.callee->as<NameRefExpr>())
    return name->name;
  auto *member = call.callee->as<MemberExpr>();
  return member ? member->member.text : "";
}

std::vector<Change> dropParameters(const ModelText &model) {
  std::vector<Change> changes;
  if (!model.isParsed)
    return changes;
  std::vector<const CallExpr *> calls;
  walk(model.file, {.expression = [&](const Expr &expr) {
         if (auto *call = expr.as<CallExpr>())
           calls.push_back(call);
       }});
  for (const Callable &callable : callablesOf(model.file))
    for (size_t i = 0; i < callable.parameters->size(); ++i) {
      const Parameter &parameter = (*callable.parameters)[i];
      Change change = {{withComma(model, parameter.range), ""}};
      for (const CallExpr *call : calls) {
        if (calleeOf(*call) != callable.name)
          continue;
        for (size_t k = 0; k < call->arguments.size(); ++k) {
          const Argument &argument = call->arguments[k];
          if (argument.label ? argument.label->text == parameter.name.text : k == i)
            change.push_back({withComma(model, argument.range), ""});
        }
      }
      changes.push_back(std::move(change));
    }
  return changes;
}

/// Replaces reads of a name within `scope` by `value`, and applies `decl`, the edit of the declaration.
static void inlineName(const ModelText &model, const std::vector<const NameRefExpr *> &names, std::string_view name,
                       const Expr &value, SourceRange scope, Edit decl, std::vector<Change> &changes) {
  Change change = {std::move(decl)};
  for (const NameRefExpr *each : names)
    if (each->name == name && each->range.begin >= scope.begin && each->range.end <= scope.end)
      change.push_back({each->range, "(" + model.source(value.range) + ")"});
  changes.push_back(std::move(change));
}

std::vector<Change> inlineNames(const ModelText &model) {
  std::vector<Change> changes;
  if (!model.isParsed)
    return changes;
  std::vector<const NameRefExpr *> names;
  walk(model.file, {.expression = [&](const Expr &expr) {
         if (auto *name = expr.as<NameRefExpr>())
           names.push_back(name);
       }});
  auto inlineIn = [&](SourceRange scope, const Name &name, const ExprPtr &value, Edit decl) {
    if (value)
      inlineName(model, names, name.text, *value, scope, std::move(decl), changes);
  };
  SourceRange everywhere = {model.file.file, 0, uint32_t(model.text().size())};
  for (const ConstDecl &constant : model.file.constants)
    inlineIn(everywhere, constant.name, constant.value, {constant.range, ""});
  for (const ModuleDecl &module : model.file.modules) {
    for (const Parameter &parameter : module.parameters)
      inlineIn(module.range, parameter.name, parameter.defaultValue, {withComma(model, parameter.range), ""});
    for (const ConstDecl &constant : module.constants)
      inlineIn(module.range, constant.name, constant.value, {constant.range, ""});
  }
  walk(model.file, {.block = [&](const Block &block) {
         for (const StmtPtr &stmt : block.statements) {
           auto *let = stmt->as<LetStmt>();
           auto *constant = stmt->as<ConstStmt>();
           SourceRange behind = {block.range.file, stmt->range.end, block.range.end};
           if (let && !let->pattern.isTuple)
             inlineIn(behind, let->pattern.names[0], let->value, {stmt->range, ""});
           else if (constant)
             inlineIn(behind, constant->decl.name, constant->decl.value, {stmt->range, ""});
         }
       }});
  return changes;
}

} // namespace attnc::reduce
