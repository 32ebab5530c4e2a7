#include "frontends/attn/Check/Entries/Minimizer.h"

#include "frontends/attn/Check/Constants.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

std::optional<Value> Minimizer::over(const Derivation &derivation, Scope &scope) {
  Block outside;
  lets.setBlock(&outside);
  for (const ast::Argument *argument : derivation.arguments)
    if (argument->label && argument->label->text == "over")
      return expressions.check(*argument->value, scope);
  return std::nullopt;
}

/// True if a value refers to single elements of a list of modules.
static bool picksElements(const Value &value) {
  auto *tensor = value.tensor();
  auto *parameter = tensor ? tensor->as<ParameterRef>() : nullptr;
  auto *module = value.as<ModuleValue>();
  auto *list = value.as<ModuleListValue>();
  if (auto *tuple = value.as<TupleValue>())
    return std::any_of(tuple->parts.begin(), tuple->parts.end(), picksElements);
  return (parameter && !parameter->picks.empty()) || (module && (!module->picks.empty() || module->element)) ||
         (list && (!list->picks.empty() || list->element));
}

void Minimizer::readArgument(Arguments &result, const ast::Argument &argument, const std::string &label, Scope &scope) {
  const ast::Expr &value = *argument.value;
  if (label == "with") {
    result.optimizer = optimizers.make(value, scope);
    result.isWhole &= result.optimizer != nullptr;
  } else if (label == "over") {
    if (picksElements(*context.minimizedOver)) {
      reporter.notSupported(value.range, "training one element of a list");
      result.isWhole = false;
    }
  } else if (label == "clip_norm") {
    std::optional<double> norm = expressions.check(value, scope).real();
    result.training.clipNorm = norm.value_or(0);
    if (!norm || !(static_cast<float>(*norm) > 0)) {
      reporter.error(DiagnosticKind::NotConstant, value.range, "`clip_norm` is a number above 0");
      result.isWhole = false;
    }
  } else if (label == "accumulate") {
    std::optional<int64_t> batches = constantInteger(reporter, expressions, value, scope, "`accumulate`");
    result.training.batches = batches.value_or(1);
    bool isInRange = batches && *batches >= 1 && *batches <= 65536;
    if (batches && !isInRange)
      reporter.error(DiagnosticKind::BadSize, value.range,
                     fmt::format("a step accumulates the gradients of {} batches, expected 1 to 65536", *batches));
    result.isWhole &= isInRange;
  } else {
    reporter.error(DiagnosticKind::UnknownArgument, argument.range, "`minimize` has no such argument")
        .hint("minimize(f, with: optimizer(...), over: module, clip_norm: 1.0, accumulate: 4)");
    result.isWhole = false;
  }
}

Minimizer::Arguments Minimizer::readArguments(const Derivation &derivation, Scope &scope) {
  Arguments result;
  std::set<std::string> labels;
  for (const ast::Argument *argument : derivation.arguments) {
    std::string label = argument->label ? argument->label->text : "";
    if (labels.insert(label).second) {
      readArgument(result, *argument, label, scope);
      continue;
    }
    reporter.error(DiagnosticKind::ArgumentCount, argument->range, fmt::format("`{}` is given twice", label));
    result.isWhole = false;
  }
  return result;
}

std::vector<const Parameter *> Minimizer::trainedParameters() const {
  std::vector<const Parameter *> trained;
  for (const Parameter *parameter : program.parameters) {
    bool isOfEmptyList = std::ranges::find(parameter->counts, 0) != parameter->counts.end();
    if (!parameter->frozen && !parameter->isState && !isOfEmptyList && isMinimizedOver(context, *parameter))
      trained.push_back(parameter);
  }
  return trained;
}

void Minimizer::minimize(Entry &entry, const Derivation &derivation, const ast::ExportDecl &decl, Scope &scope) {
  if (!isLoss(reporter, entry, decl, "`minimize` needs", /*mayHaveMetrics=*/true))
    return;
  Block outside;
  lets.setBlock(&outside);
  auto [optimizer, training, isWhole] = readArguments(derivation, scope);
  if (training.batches > 1 && !entry.updates.empty()) {
    reporter
        .error(DiagnosticKind::NotSupported, entry.updates.front().range,
               "a state that is updated in a step that accumulates batches is not supported yet")
        .hint("leave out `accumulate`; `--memory-budget` lets a step of the whole batch take less memory");
    isWhole = false;
  }
  if (!optimizer && isWhole)
    reporter
        .error(DiagnosticKind::ArgumentCount, decl.value->range, "`minimize` is called without `with`, the optimizer")
        .hint("minimize(f, with: adamw(lr: 3e-4))");
  if (!optimizer || !isWhole || (context.minimizedOver && context.minimizedOver->isError()))
    return;
  std::vector<const Parameter *> trained = trainedParameters();
  if (trained.empty())
    reporter.error(DiagnosticKind::NotAnEntry, decl.value->range, "there is no parameter to train")
        .hint("`over:` names a field of the model, and a `frozen` parameter is left alone");
  training.count = parameters.addState(entry, "count", nullptr, {Element::I32, {}}, 0, decl.name.range);
  entry.training = std::move(training);
  for (const Parameter *parameter : trained)
    if (!optimizers.addStep(entry, *optimizer, *parameter))
      return;
}

} // namespace attnc::check
