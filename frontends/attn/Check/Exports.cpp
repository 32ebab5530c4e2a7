#include "compiler/Diagnostics/Spelling.h"
#include "frontends/attn/Check/Checker.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace attnc::check {

using namespace typed;

static constexpr const char *forms =
    "`export f` and `export g = f` make entry points of functions, "
    "`export g = gradient(f)` one that computes f and its gradients, "
    "`export m = attention(f)` one that gives the weights of f's attention, "
    "`export t = minimize(f, with: optimizer(...))` one that takes a step of training, "
    "`export s = incremental(f, along: seq)` those that compute f position by position, "
    "`export w = decode(s, with: ..., at_most: 64)` one that writes tokens by them";

/// What an export says, or nothing where that is an error.
std::optional<Checker::Derivation> Checker::derivation(const ast::ExportDecl &decl) {
  Derivation result;
  result.function = decl.name;
  if (!decl.value)
    return result;
  if (auto *alias = decl.value->as<ast::NameRefExpr>()) {
    result.function = {alias->name, alias->range};
    return result;
  }
  auto *made = decl.value->as<ast::CallExpr>();
  result.rule = made ? made->callee->as<ast::NameRefExpr>() : nullptr;
  bool isKnown = result.rule && (result.rule->name == "gradient" || result.rule->name == "minimize" ||
                                 result.rule->name == "incremental" || result.rule->name == "attention" ||
                                 result.rule->name == "decode");
  if (!isKnown) {
    std::string what =
        made ? fmt::format("`{}`", sources.text(made->callee->range)) : std::string("an export of this form");
    error(DiagnosticKind::NotSupported, decl.value->range, fmt::format("{} is not supported yet", what)).hint(forms);
    return std::nullopt;
  }
  const ast::NameRefExpr *function = nullptr;
  for (const ast::Argument &argument : made->arguments)
    if (!function && !argument.label)
      function = argument.value->as<ast::NameRefExpr>();
    else
      result.arguments.push_back(&argument);
  bool takesNoMore = result.rule->name == "gradient" || result.rule->name == "attention";
  if (!function || (takesNoMore && !result.arguments.empty())) {
    error(DiagnosticKind::ArgumentCount, decl.value->range,
          fmt::format("`{}` is of a function, by its name", result.rule->name))
        .hint(forms);
    return std::nullopt;
  }
  result.function = {function->name, function->range};
  return result;
}

std::optional<FunctionValue> Checker::exportedFunction(const ast::Name &name, SourceUnit &unit, Instance *model) {
  std::vector<std::string> names;
  auto find = [&](const std::vector<ast::FunctionDecl> &functions) -> const ast::FunctionDecl * {
    for (const ast::FunctionDecl &decl : functions) {
      if (decl.name && decl.name->text == name.text)
        return &decl;
      if (decl.name)
        names.push_back(decl.name->text);
    }
    return nullptr;
  };
  if (const ast::FunctionDecl *found = model ? find(model->decl->functions) : nullptr)
    return FunctionValue{found, &unit, {model, {}}};
  if (const ast::FunctionDecl *found = find(unit.ast->functions))
    return FunctionValue{found, &unit, {nullptr, {}}};
  Diagnostic &report =
      error(DiagnosticKind::UnknownName, name.range, fmt::format("there is no function `{}` to export", name.text));
  if (auto meant = nearest(name.text, names))
    report.hint(fmt::format("did you mean `{}`?", *meant));
  return std::nullopt;
}

void Checker::checkExport(const ast::ExportDecl &decl, SourceUnit &unit, Instance *model) {
  std::optional<Derivation> made = derivation(decl);
  if (!made)
    return;
  for (const Entry &entry : program->entries)
    if (entry.name == decl.name.text) {
      error(DiagnosticKind::AlreadyDefined, decl.name.range, fmt::format("`{}` is exported twice", entry.name))
          .note("the first is", entry.range);
      return;
    }
  if (made->rule && made->rule->name == "decode")
    return decode(*made, decl, model ? moduleScope({model, {}}) : unitScope(&unit));
  std::optional<FunctionValue> function = exportedFunction(made->function, unit, model);
  if (!function)
    return;
  size_t before = program->entries.size();
  isTraining = made->rule && made->rule->name == "minimize";
  isDifferentiated = isTraining || (made->rule && made->rule->name == "gradient");
  isPositional = made->rule && made->rule->name == "incremental";
  if (isTraining)
    minimizedOver = argumentOver(*made, model ? moduleScope({model, {}}) : unitScope(&unit));
  checkEntry(*function, decl.name.text, decl.name.range, true);
  isTraining = isDifferentiated = isPositional = false;
  if (!made->rule || program->entries.size() == before)
    return;
  Entry &entry = program->entries.back();
  if (made->rule->name == "minimize")
    minimize(entry, *made, decl, unit, model);
  else if (made->rule->name == "incremental")
    incremental(entry, *made, decl, model ? moduleScope({model, {}}) : unitScope(&unit));
  else if (made->rule->name == "attention")
    entry.isAttention = true;
  else
    entry.isGradient = isLoss(entry, decl, "a gradient is of");
}

bool Checker::isLoss(const Entry &entry, const ast::ExportDecl &decl, const char *what) {
  const Type *found = entry.results.size() == 1 ? &entry.results[0].value->type : nullptr;
  if (found && found->element == Element::F32 && found->rank() == 0)
    return true;
  error(DiagnosticKind::NotAnEntry, decl.value->range,
        fmt::format("{} one f32, and this function gives {}", what,
                    found ? textOf(*found) : fmt::format("{} results", entry.results.size())))
      .hint("sum or average over it, as `mean(x)`");
  return false;
}

void Checker::incremental(Entry &entry, const Derivation &derivation, const ast::ExportDecl &decl,
                          const ScopePtr &scope) {
  const ast::NameRefExpr *dimension = nullptr;
  bool isKnown = true;
  for (const ast::Argument *argument : derivation.arguments) {
    std::string label = argument->label ? argument->label->text : "";
    if (label == "along" && !dimension) {
      dimension = argument->value->as<ast::NameRefExpr>();
      isKnown &= dimension != nullptr;
    } else if (label == "take_back" && !entry.takeBack) {
      Block outside;
      build.setBlock(&outside);
      std::optional<double> count = expression(*argument->value, scope).real();
      bool isCount = count && *count >= 1 && *count <= INT32_MAX && *count == std::floor(*count);
      entry.takeBack = isCount ? static_cast<int64_t>(*count) : 1;
      if (!isCount)
        error(DiagnosticKind::NotConstant, argument->value->range, "`take_back` is a number of positions from 1 on");
    } else {
      isKnown = false;
    }
  }
  if (!dimension || !isKnown) {
    error(DiagnosticKind::ArgumentCount, decl.value->range,
          "`incremental` is called with `along`, a dimension, and, if so, `take_back`, a number")
        .hint("incremental(f, along: seq)");
    return;
  }
  entry.along = dimension->name;
  std::vector<std::string> names;
  for (const Dimension &each : entry.dimensions)
    names.push_back(each.name);
  if (std::find(names.begin(), names.end(), dimension->name) != names.end())
    return;
  Diagnostic &report = error(DiagnosticKind::UnknownName, dimension->range,
                             fmt::format("`{}` is no dimension of this function's arguments", dimension->name));
  if (auto meant = nearest(dimension->name, names))
    report.hint(fmt::format("did you mean `{}`?", *meant));
}

//===- Training ---------------------------------------------------------------------------------------------------===//

/// What `minimize` is called with as `over`, known before the function is checked: it updates states of these alone.
std::optional<Value> Checker::argumentOver(const Derivation &derivation, const ScopePtr &scope) {
  Block outside;
  build.setBlock(&outside);
  for (const ast::Argument *argument : derivation.arguments)
    if (argument->label && argument->label->text == "over")
      return expression(*argument->value, scope);
  return std::nullopt;
}

/// Does a value name a parameter or state, or a module that has it?
static bool names(const Value &value, const Parameter &parameter) {
  auto *module = value.as<ModuleValue>();
  auto *list = value.as<ModuleListValue>();
  if (auto *tuple = value.as<TupleValue>())
    return std::any_of(tuple->parts.begin(), tuple->parts.end(),
                       [&](const Value &part) { return names(part, parameter); });
  if (auto *tensor = value.tensor())
    return tensor->as<ParameterRef>() && tensor->as<ParameterRef>()->parameter == &parameter;
  const Instance *instance = module ? module->instance : list ? list->instance : nullptr;
  return instance && parameter.name.starts_with(instance->path + ".");
}

bool Checker::isMinimizedOver(const Parameter &parameter) const {
  return !minimizedOver || names(*minimizedOver, parameter);
}

/// Does a value speak of some elements of a list of modules?
static bool picksElements(const Value &value) {
  auto *tensor = value.tensor();
  auto *parameter = tensor ? tensor->as<ParameterRef>() : nullptr;
  auto *module = value.as<ModuleValue>();
  auto *list = value.as<ModuleListValue>();
  if (auto *tuple = value.as<TupleValue>())
    return std::any_of(tuple->parts.begin(), tuple->parts.end(), picksElements);
  return (parameter && !parameter->picks.empty()) || (module && !module->picks.empty()) ||
         (list && !list->picks.empty());
}

void Checker::minimize(Entry &entry, const Derivation &derivation, const ast::ExportDecl &decl, SourceUnit &unit,
                       Instance *model) {
  if (!isLoss(entry, decl, "what is minimised is"))
    return;
  ScopePtr scope = model ? moduleScope({model, {}}) : unitScope(&unit);
  Block outside;
  build.setBlock(&outside);
  Instance *optimizer = nullptr;
  Training training;
  bool isWhole = true;
  std::set<std::string> labels;
  for (const ast::Argument *argument : derivation.arguments) {
    std::string label = argument->label ? argument->label->text : "";
    if (!labels.insert(label).second) {
      error(DiagnosticKind::ArgumentCount, argument->range, fmt::format("`{}` is given twice", label));
      isWhole = false;
    } else if (label == "with") {
      optimizer = makeOptimizer(*argument->value, scope);
      isWhole &= optimizer != nullptr;
    } else if (label == "over") {
      if (picksElements(*minimizedOver)) {
        notSupported(argument->value->range, "training one element of a list");
        isWhole = false;
      }
    } else if (label == "clip_norm") {
      std::optional<double> norm = expression(*argument->value, scope).real();
      training.clipNorm = norm.value_or(0);
      if (!norm || !(static_cast<float>(*norm) > 0))
        error(DiagnosticKind::NotConstant, argument->value->range, "`clip_norm` is a number above 0");
    } else if (label == "accumulate") {
      std::optional<int64_t> batches = constantInteger(*argument->value, scope, "`accumulate`");
      training.batches = batches.value_or(1);
      if (batches && (*batches < 1 || *batches > 65536))
        error(DiagnosticKind::BadSize, argument->value->range,
              fmt::format("a step accumulates the gradients of {} batches, and it is of one at least", *batches));
      isWhole &= batches.has_value();
    } else {
      error(DiagnosticKind::UnknownArgument, argument->range, "`minimize` has no such argument")
          .hint("minimize(f, with: optimizer(...), over: module, clip_norm: 1.0, accumulate: 4)");
      isWhole = false;
    }
  }
  if (training.batches > 1 && !entry.updates.empty()) {
    error(DiagnosticKind::NotSupported, entry.updates.front().range,
          "a state that is updated in a step that accumulates batches is not supported yet")
        .hint("leave out `accumulate`; `--memory-budget` lets a step of the whole batch take less memory");
    isWhole = false;
  }
  if (!optimizer && isWhole)
    error(DiagnosticKind::ArgumentCount, decl.value->range, "`minimize` is called without `with`, the optimizer")
        .hint("minimize(f, with: adamw(lr: 3e-4))");
  if (!optimizer || !isWhole || (minimizedOver && minimizedOver->isError()))
    return;
  std::vector<const Parameter *> trained;
  for (const Parameter *parameter : program->parameters)
    if (!parameter->frozen && !parameter->isState && isMinimizedOver(*parameter) &&
        std::ranges::find(parameter->counts, 0) == parameter->counts.end()) // of a list of no modules: none at all
      trained.push_back(parameter);
  if (trained.empty())
    error(DiagnosticKind::NotAnEntry, decl.value->range, "there is no parameter to train")
        .hint("`over:` names a field of the model, and a `frozen` parameter is left alone");
  training.count = addState(entry, "count", nullptr, {Element::I32, {}}, 0, decl.name.range);
  entry.training = std::move(training);
  for (const Parameter *parameter : trained)
    if (!addStep(entry, *optimizer, *parameter))
      return;
}

} // namespace attnc::check
