#include "frontends/attn/Check/Checker.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

Instance *Checker::makeOptimizer(const ast::Expr &with, const ScopePtr &scope) {
  auto *made = with.as<ast::CallExpr>();
  Value callee = expression(made ? *made->callee : with, scope);
  if (callee.isError())
    return nullptr;
  auto *optimizer = callee.as<OptimizerValue>();
  if (!optimizer) {
    error(DiagnosticKind::NotCallable, with.range,
          fmt::format("an optimizer is expected, and this is {}", describe(callee)))
        .hint("an optimizer is declared by `optimizer name(...)`; the prelude's are in `optim`");
    return nullptr;
  }
  const ast::OptimizerDecl &decl = *optimizer->decl;
  if (decl.stepParameters.size() != 3) {
    error(DiagnosticKind::ArgumentCount, decl.name.range,
          fmt::format("the optimizer `{}` has no step of three parameters", decl.name.text))
        .hint("`step(p, g, t) { ... }`: the parameter, its gradient, and the number of the step, from 1");
    return nullptr;
  }
  std::vector<CheckedArgument> arguments;
  if (made)
    arguments = checkArguments(*made, scope);
  if (anyError(arguments))
    return nullptr;
  size_t before = errorsFound;
  Instance *instance = &instances.emplace_back();
  instance->decl = &decl;
  instance->unit = optimizer->unit;
  bindHyperparameters(*instance, decl.parameters, std::move(arguments), with.range, decl.name.text);
  return errorsFound == before ? instance : nullptr;
}

const Parameter *Checker::addState(const Entry &entry, const std::string &name, const Parameter *of, Type type,
                                   double start, SourceRange range) {
  Parameter state;
  std::string prefix = fmt::format("{}.{}", entry.name, name);
  state.name = of ? prefix + "." + of->name : prefix;
  state.checkpoint = of ? prefix + "." + of->checkpoint : prefix;
  if (of)
    state.counts = of->counts;
  state.type = std::move(type);
  state.initialiser = {"constant", start, 0};
  state.frozen = state.isState = true;
  state.range = range;
  auto [first, isNew] = checkpointNames.emplace(state.checkpoint, range);
  if (!isNew)
    error(DiagnosticKind::DuplicateCheckpoint, range,
          fmt::format("a parameter and a state of training have the name `{}` in checkpoints", state.checkpoint))
        .note("the other is", first->second)
        .hint("give the export another name");
  for (const Parameter *other : program->parameters)
    if (isNew && other->name == state.name)
      error(DiagnosticKind::AlreadyDefined, range,
            fmt::format("a parameter and a state of training have the name `{}`", state.name))
          .note("the other is", other->range)
          .hint("give the export another name");
  program->parameterStore.push_back(std::move(state));
  program->parameters.push_back(&program->parameterStore.back());
  return program->parameters.back();
}

/// The type of a state and the number that it starts as everywhere.
std::optional<std::pair<Type, double>> Checker::stateStart(const ast::OptimizerState &state, const ScopePtr &scope) {
  Value value = expression(*state.initial, scope);
  if (value.isError())
    return std::nullopt;
  ExprRef start = asTensor(value, state.initial->range, Element::F32);
  if (!start)
    return std::nullopt;
  auto *fill = start->as<Fill>();
  auto *number = (fill ? fill->value : start)->as<Constant>();
  if (number && start->type.element == Element::F32)
    return std::pair(start->type, number->real);
  error(DiagnosticKind::BadInitialiser, state.initial->range, "a state cannot start like this")
      .hint("`like(p)` is zeros in the shape of p; `full(value, n, ...)` is the same number everywhere");
  return std::nullopt;
}

/// Checks the optimizer's step on one parameter: its shape and rank are known there.
bool Checker::addStep(Entry &entry, Instance &optimizer, const Parameter &parameter) {
  auto &decl = static_cast<const ast::OptimizerDecl &>(*optimizer.decl);
  size_t before = errorsFound;
  OptimizerStep step;
  step.parameter = &parameter;
  std::vector<std::pair<Type, double>> starts;
  ScopePtr scope = childOf(moduleScope({&optimizer, {}}));
  scope->isFunction = true;
  build.setBlock(&step.block);
  steppedParameter = &parameter;
  auto bind = [&](const ast::Name &name, Type type, bool isState) -> const Local * {
    checkNotBuiltin(name, "the parameter");
    Local *local = build.newLocal(name.text, std::move(type), name.range);
    Binding binding{TensorValue{build.reference(local, name.range)}, name.range};
    binding.isState = isState;
    bool isNew = scope->names.emplace(name.text, binding).second;
    if (!isNew || optimizer.members.count(name.text))
      error(DiagnosticKind::AlreadyDefined, name.range, fmt::format("`{}` is defined twice", name.text));
    return local;
  };
  step.value = bind(decl.stepParameters[0], parameter.type, true);
  step.gradient = bind(decl.stepParameters[1], parameter.type, false);
  step.count = bind(decl.stepParameters[2], {Element::F32, {}}, false);
  for (const ast::OptimizerState &state : decl.states) {
    std::optional<std::pair<Type, double>> start = stateStart(state, scope);
    for (const ast::Name &name : state.names)
      if (start) {
        step.states.push_back(addState(entry, name.text, &parameter, start->first, start->second, name.range));
        step.stateValues.push_back(bind(name, start->first, true));
      }
  }
  bool returned = false;
  if (errorsFound == before)
    block(decl.step, childOf(scope), returned);
  if (returned)
    error(DiagnosticKind::Misplaced, decl.step.range, "a step has no result: it updates, as `p <- ...`");
  steppedParameter = nullptr;
  step.nextValue = scope->names.at(decl.stepParameters[0].text).value.tensor();
  for (const ast::OptimizerState &state : decl.states)
    for (const ast::Name &name : state.names)
      if (errorsFound == before)
        step.nextStates.push_back(scope->names.at(name.text).value.tensor());
  entry.training->steps.push_back(std::move(step));
  return errorsFound == before;
}

} // namespace attnc::check
