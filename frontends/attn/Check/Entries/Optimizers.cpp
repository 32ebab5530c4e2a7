#include "frontends/attn/Check/Entries/Optimizers.h"


#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

Instance *Optimizers::make(const ast::Expr &with, Scope &scope) {
  auto *call = with.as<ast::CallExpr>();
  Value callee = expressions.check(call ? *call->callee : with, scope);
  if (callee.isError())
    return nullptr;
  auto *optimizer = callee.as<OptimizerValue>();
  if (!optimizer) {
    reporter
        .error(DiagnosticKind::NotCallable, with.range,
               fmt::format("an optimizer is expected, but this is {}", describe(callee)))
        .hint("an optimizer is declared by `optimizer name(...)`; the prelude's are in `optim`");
    return nullptr;
  }
  const ast::OptimizerDecl &decl = *optimizer->decl;
  if (decl.stepParameters.size() != 3) {
    reporter
        .error(DiagnosticKind::ArgumentCount, decl.name.range,
               fmt::format("the optimizer `{}` has no step of three parameters", decl.name.text))
        .hint("`step(p, g, t) { ... }`: the parameter, its gradient, and the number of the step, from 1");
    return nullptr;
  }
  std::vector<CheckedArgument> arguments;
  if (call)
    arguments = checkArguments(expressions, *call, scope);
  if (anyError(arguments))
    return nullptr;
  size_t before = reporter.errorCount();
  Instance &instance = modules.addInstance(decl, *optimizer->unit);
  bindHyperparameters(reporter, scopes, expressions, instance, decl.parameters, std::move(arguments), with.range,
                      decl.name.text);
  return reporter.errorCount() == before ? &instance : nullptr;
}

/// Returns the type of a state and the number that all its elements start with.
std::optional<std::pair<Type, double>> Optimizers::stateStart(const ast::OptimizerState &state, Scope &scope) {
  Value value = expressions.check(*state.initial, scope);
  if (value.isError())
    return std::nullopt;
  ExprRef start = conversions.asTensor(value, state.initial->range, Element::F32);
  if (!start)
    return std::nullopt;
  auto *fill = start->as<Fill>();
  auto *number = (fill ? fill->value : start)->as<Constant>();
  if (number && start->type.element == Element::F32)
    return std::pair(start->type, number->real);
  reporter.error(DiagnosticKind::BadInitialiser, state.initial->range, "a state cannot be initialised like this")
      .hint("`like(p)` is zeros in the shape of p; `full(value, n, ...)` is the same number everywhere");
  return std::nullopt;
}

const Local *Optimizers::bind(const Instance &optimizer, const ast::Name &name, Type type, bool isState, Scope &scope) {
  Local *local = build.newLocal(name.text, std::move(type), name.range);
  Binding binding{TensorValue{build.reference(local, name.range)}, name.range};
  binding.isState = isState;
  bool isNew = scope.names.emplace(name.text, binding).second;
  if (!isNew || optimizer.members.count(name.text))
    reporter.error(DiagnosticKind::AlreadyDefined, name.range, fmt::format("`{}` is defined twice", name.text));
  return local;
}

static const ast::OptimizerDecl &declarationOf(const Instance &optimizer) {
  return static_cast<const ast::OptimizerDecl &>(*optimizer.decl);
}

void Optimizers::addStates(const Entry &entry, const Instance &optimizer, OptimizerStep &step, Scope &scope) {
  for (const ast::OptimizerState &state : declarationOf(optimizer).states) {
    std::optional<std::pair<Type, double>> start = stateStart(state, scope);
    for (const ast::Name &name : state.names)
      if (start) {
        step.states.push_back(
            parameters.addState(entry, name.text, step.parameter, start->first, start->second, name.range));
        step.stateValues.push_back(bind(optimizer, name, start->first, true, scope));
      }
  }
}

bool Optimizers::addStep(Entry &entry, Instance &optimizer, const Parameter &parameter) {
  const ast::OptimizerDecl &decl = declarationOf(optimizer);
  size_t before = reporter.errorCount();
  OptimizerStep step;
  step.parameter = &parameter;
  Scope &scope = scopes.childOf(scopes.moduleScope({&optimizer, {}}));
  scope.isFunction = true;
  lets.setBlock(&step.block);
  context.steppedParameter = &parameter;
  step.value = bind(optimizer, decl.stepParameters[0], parameter.type, true, scope);
  step.gradient = bind(optimizer, decl.stepParameters[1], parameter.type, false, scope);
  step.count = bind(optimizer, decl.stepParameters[2], {Element::F32, {}}, false, scope);
  addStates(entry, optimizer, step, scope);
  bool returned = false;
  if (reporter.errorCount() == before)
    blocks.check(decl.step, scopes.childOf(scope), returned);
  if (returned)
    reporter.error(DiagnosticKind::Misplaced, decl.step.range, "a step has no result: it updates, as `p <- ...`");
  context.steppedParameter = nullptr;
  step.nextValue = scope.names.at(decl.stepParameters[0].text).value.tensor();
  for (const ast::OptimizerState &state : decl.states)
    for (const ast::Name &name : state.names)
      if (reporter.errorCount() == before)
        step.nextStates.push_back(scope.names.at(name.text).value.tensor());
  entry.training->steps.push_back(std::move(step));
  return reporter.errorCount() == before;
}

} // namespace attnc::check
