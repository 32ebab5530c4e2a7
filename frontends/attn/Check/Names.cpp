#include "compiler/Diagnostics/Spelling.h"
#include "compiler/Diagnostics/InputFile.h"
#include "frontends/attn/Check/Builtins.h"
#include "frontends/attn/Check/Checker.h"
#include "frontends/attn/Parse/Parse.h"

#include <filesystem>
#include <fmt/format.h>

namespace attnc::check {

//===- Files ------------------------------------------------------------------------------------------------------===//

SourceUnit *Checker::load(FileId file, std::string name) {
  units.push_back(std::make_unique<SourceUnit>());
  SourceUnit *unit = units.back().get();
  unit->name = std::move(name);
  unit->file = file;
  unit->ast = std::make_unique<ast::File>(parseFile(sources, file, diagnostics));
  if (diagnostics.hasErrors())
    return unit;
  checkNames(*unit);
  for (const ast::UseDecl &use : unit->ast->uses)
    if (SourceUnit *used = loadUsed(use, *unit))
      unit->uses[use.path.back().text] = used;
  return unit;
}

/// The file beside `user` that a path names: "layers/norm.attn".
static std::string besides(const std::string &user, const ast::UseDecl &use) {
  size_t slash = user.rfind('/');
  std::string path = slash == std::string::npos ? "" : user.substr(0, slash + 1);
  for (size_t i = 0; i < use.path.size(); ++i)
    path += (i > 0 ? "/" : "") + use.path[i].text;
  return path + ".attn";
}

SourceUnit *Checker::loadUsed(const ast::UseDecl &use, SourceUnit &user) {
  std::string name = besides(sources.file(user.file).name(), use);
  std::optional<std::string> text;
  std::string problem;
  if (name != sources.file(user.file).name()) // a file is not beside itself
    text = readText(name, problem);
  std::error_code code;
  bool isThere = !problem.empty() && std::filesystem::exists(name, code);
  std::optional<std::string_view> prelude;
  if (use.path.size() == 1)
    prelude = preludeText(use.path[0].text);
  if (!text && prelude && !isThere) {
    name = use.path[0].text + ".attn";
    text = std::string(*prelude);
  }
  if (!text) {
    std::string written = use.path.back().text;
    Diagnostic &report =
        error(DiagnosticKind::UnknownFile, use.range,
              isThere ? fmt::format("`{}` can't be read: {}", name, problem)
                      : fmt::format("there is no file `{}`, and none of the prelude has that name", name));
    if (auto meant = nearest(written, preludeNames()))
      report.hint(fmt::format("did you mean `use {}`?", *meant));
    return nullptr;
  }
  for (const auto &unit : units)
    if (unit.get() != &user && sources.file(unit->file).name() == name)
      return unit.get();
  return load(sources.add(name, std::move(*text)), use.path.back().text);
}

//===- Names of a file --------------------------------------------------------------------------------------------===//

bool Checker::checkNotBuiltin(const ast::Name &name, const char *what) {
  if (!findBuiltin(name.text) && !isBuiltinConstant(name.text))
    return true;
  error(DiagnosticKind::ShadowsBuiltin, name.range,
        fmt::format("{} `{}` would hide the builtin of that name", what, name.text))
      .hint("choose another name");
  return false;
}

namespace {

/// Names that must differ, with where each was first.
class Distinct {
public:
  Distinct(Checker &checker) : checker(checker) {}
  void add(const ast::Name &name) {
    auto [first, isNew] = seen.emplace(name.text, name.range);
    if (!isNew)
      checker.error(DiagnosticKind::AlreadyDefined, name.range, fmt::format("`{}` is defined twice", name.text))
          .note("it is defined first", first->second);
  }

private:
  Checker &checker;
  std::map<std::string, SourceRange> seen;
};

} // namespace

void Checker::checkDistinct(const std::vector<ast::Parameter> &parameters) {
  Distinct names(*this);
  for (const ast::Parameter &parameter : parameters)
    names.add(parameter.name);
}

void Checker::checkNames(SourceUnit &unit) {
  const ast::File &file = *unit.ast;
  Distinct names(*this);
  for (const ast::UseDecl &use : file.uses)
    names.add(use.path.back());
  for (const ast::ConstDecl &decl : file.constants) {
    names.add(decl.name);
    checkNotBuiltin(decl.name, "the constant");
  }
  for (const ast::FunctionDecl &decl : file.functions) {
    if (decl.name) {
      names.add(*decl.name);
      checkNotBuiltin(*decl.name, "the function");
    } else {
      error(DiagnosticKind::Misplaced, decl.signatureRange, "only a module has a function without a name")
          .hint("write `fn name(...)`");
    }
    if (decl.isExtern)
      notSupported(decl.signatureRange, "`extern fn`");
  }
  for (const ast::ModuleDecl &decl : file.modules) {
    names.add(decl.name);
    checkNotBuiltin(decl.name, "the module");
    checkModuleNames(decl);
  }
  for (const ast::OptimizerDecl &decl : file.optimizers) {
    names.add(decl.name);
    checkNotBuiltin(decl.name, "the optimizer");
    checkModuleNames(decl);
  }
}

void Checker::checkModuleNames(const ast::ModuleDecl &module) {
  Distinct names(*this);
  for (const ast::Parameter &parameter : module.parameters) {
    names.add(parameter.name);
    checkNotBuiltin(parameter.name, "the hyperparameter");
  }
  for (const ast::ConstDecl &decl : module.constants) {
    names.add(decl.name);
    checkNotBuiltin(decl.name, "the constant");
  }
  for (const ast::FieldDecl &decl : module.fields) {
    names.add(decl.name);
    checkNotBuiltin(decl.name, "the field");
  }
  for (const ast::FunctionDecl &decl : module.functions) {
    names.add(decl.name ? *decl.name : ast::Name{"", decl.signatureRange});
    if (decl.name)
      checkNotBuiltin(*decl.name, "the function");
    if (decl.isExtern)
      notSupported(decl.signatureRange, "`extern fn`");
  }
}

//===- Look-up ----------------------------------------------------------------------------------------------------===//

ScopePtr Checker::unitScope(SourceUnit *unit) {
  ScopePtr scope = &scopes.emplace_back();
  scope->unit = unit;
  return scope;
}

ScopePtr Checker::childOf(const ScopePtr &parent) {
  ScopePtr scope = &scopes.emplace_back();
  scope->parent = parent;
  scope->unit = parent->unit;
  scope->self = parent->self;
  return scope;
}

Binding *Checker::findBinding(const ScopePtr &scope, const std::string &name) {
  for (Scope *at = scope; at; at = at->parent) {
    auto found = at->names.find(name);
    if (found != at->names.end())
      return &found->second;
  }
  return nullptr;
}

std::optional<Value> Checker::findMember(const ModuleValue &self, const std::string &name) {
  if (!self.instance)
    return std::nullopt;
  auto member = self.instance->members.find(name);
  if (member != self.instance->members.end())
    return withPicks(member->second.value, self.picks);
  for (const ast::FunctionDecl &decl : self.instance->decl->functions)
    if (decl.name && decl.name->text == name)
      return Value(FunctionValue{&decl, self.instance->unit, self});
  return std::nullopt;
}

std::optional<Value> Checker::findTopLevel(SourceUnit *unit, const std::string &name, bool throughUses) {
  for (const ast::ConstDecl &decl : unit->ast->constants)
    if (decl.name.text == name)
      return evaluateConstant(decl, unit);
  for (const ast::FunctionDecl &decl : unit->ast->functions)
    if (decl.name && decl.name->text == name)
      return Value(FunctionValue{&decl, unit, {nullptr, {}}});
  for (const ast::ModuleDecl &decl : unit->ast->modules)
    if (decl.name.text == name)
      return Value(ClassValue{&decl, unit});
  for (const ast::OptimizerDecl &decl : unit->ast->optimizers)
    if (decl.name.text == name)
      return Value(OptimizerValue{&decl, unit});
  if (!throughUses)
    return std::nullopt;
  auto used = unit->uses.find(name);
  if (used != unit->uses.end())
    return Value(NamespaceValue{used->second});
  for (const auto &[word, other] : unit->uses)
    if (std::optional<Value> value = findTopLevel(other, name, false))
      return value;
  return std::nullopt;
}

std::optional<Value> Checker::find(const ScopePtr &scope, const std::string &name) {
  if (Binding *binding = findBinding(scope, name))
    return binding->value;
  if (std::optional<Value> value = findMember(scope->self, name))
    return value;
  if (std::optional<Value> value = findTopLevel(scope->unit, name, true))
    return value;
  if (name == "training")
    return Value(isTraining);
  if (std::optional<Value> value = builtinConstant(name))
    return value;
  if (const Builtin *builtin = findBuiltin(name))
    return Value(BuiltinValue{builtin});
  return std::nullopt;
}

Value Checker::evaluateConstant(const ast::ConstDecl &decl, SourceUnit *unit) {
  auto known = unit->constants.find(decl.name.text);
  if (known != unit->constants.end())
    return known->second;
  if (!unit->evaluating.insert(&decl).second) {
    error(DiagnosticKind::Recursion, decl.name.range,
          fmt::format("the constant `{}` is made from itself", decl.name.text));
    return Value();
  }
  Value value = expression(*decl.value, unitScope(unit));
  if (!value.isError() && !value.isNumber() && !value.as<StringValue>()) {
    error(DiagnosticKind::NotConstant, decl.value->range,
          fmt::format("the constant `{}` must be a number, and is {}", decl.name.text, describe(value)));
    value = Value();
  }
  unit->evaluating.erase(&decl);
  return unit->constants[decl.name.text] = value;
}

Value Checker::nameRef(const ast::NameRefExpr &ref, const ScopePtr &scope) {
  if (std::optional<Value> value = find(scope, ref.name))
    return *value;
  return unknownName(ref.range, ref.name, scope);
}

std::vector<std::string> Checker::visibleNames(const ScopePtr &scope) {
  std::vector<std::string> names;
  for (Scope *at = scope; at; at = at->parent)
    for (const auto &[name, binding] : at->names)
      names.push_back(name);
  if (const Instance *self = scope->self.instance) {
    for (const auto &[name, binding] : self->members)
      names.push_back(name);
    for (const ast::FunctionDecl &decl : self->decl->functions)
      if (decl.name)
        names.push_back(decl.name->text);
  }
  auto addTopLevel = [&](const SourceUnit &unit) {
    for (const ast::ConstDecl &decl : unit.ast->constants)
      names.push_back(decl.name.text);
    for (const ast::FunctionDecl &decl : unit.ast->functions)
      if (decl.name)
        names.push_back(decl.name->text);
    for (const ast::ModuleDecl &decl : unit.ast->modules)
      names.push_back(decl.name.text);
    for (const ast::OptimizerDecl &decl : unit.ast->optimizers)
      names.push_back(decl.name.text);
  };
  addTopLevel(*scope->unit);
  for (const auto &[name, unit] : scope->unit->uses) {
    names.push_back(name);
    addTopLevel(*unit);
  }
  for (const Builtin &builtin : builtins())
    names.push_back(builtin.name);
  return names;
}

Value Checker::unknownName(SourceRange range, const std::string &name, const ScopePtr &scope) {
  Diagnostic &report = error(DiagnosticKind::UnknownName, range, fmt::format("`{}` is not known here", name));
  std::vector<std::string> names = visibleNames(scope);
  if (auto meant = nearest(name, names)) {
    report.hint(fmt::format("did you mean `{}`?", *meant));
    return Value();
  }
  for (const std::string &file : preludeNames())
    if (preludeText(file)->find(fmt::format("fn {}(", name)) != std::string_view::npos ||
        preludeText(file)->find(fmt::format("module {}(", name)) != std::string_view::npos ||
        preludeText(file)->find(fmt::format("optimizer {}(", name)) != std::string_view::npos)
      report.hint(fmt::format("`{}` is in the prelude: write `use {}`", name, file));
  return Value();
}

static std::vector<std::string> membersOf(const Instance &instance) {
  std::vector<std::string> names;
  for (const auto &[name, binding] : instance.members)
    names.push_back(name);
  for (const ast::FunctionDecl &decl : instance.decl->functions)
    if (decl.name)
      names.push_back(decl.name->text);
  return names;
}

Value Checker::member(const ast::MemberExpr &expr, const ScopePtr &scope) {
  Value object = expression(*expr.object, scope);
  if (object.isError())
    return object;
  const std::string &name = expr.member.text;
  std::vector<std::string> candidates;
  std::string owner;
  if (auto *unit = object.as<NamespaceValue>()) {
    if (std::optional<Value> value = findTopLevel(unit->unit, name, false))
      return *value;
    candidates = visibleNames(unitScope(unit->unit));
    owner = fmt::format("`{}`", unit->unit->name);
  } else if (auto *module = object.as<ModuleValue>()) {
    if (std::optional<Value> value = findMember(*module, name))
      return *value;
    candidates = membersOf(*module->instance);
    owner = fmt::format("`{}`", module->instance->decl->name.text);
  } else {
    error(DiagnosticKind::NoMembers, expr.member.range, fmt::format("{} has no members", describe(object)));
    return Value();
  }
  Diagnostic &report =
      error(DiagnosticKind::UnknownName, expr.member.range, fmt::format("{} has no `{}`", owner, name));
  if (auto meant = nearest(name, candidates))
    report.hint(fmt::format("did you mean `{}`?", *meant));
  return Value();
}

void Checker::bindLocal(const ScopePtr &scope, const ast::Name &name, Value value, bool isVar) {
  if (name.text == "_")
    return;
  checkNotBuiltin(name, "the local");
  auto [existing, isNew] = scope->names.emplace(name.text, Binding{value, name.range, isVar});
  if (isNew)
    return;
  error(DiagnosticKind::AlreadyDefined, name.range, fmt::format("`{}` is defined twice", name.text))
      .note("it is defined first", existing->second.range)
      .hint("declare it with `var` and assign, or choose another name");
  existing->second.value = value;
}

} // namespace attnc::check
