#include "frontends/attn/Check/Functions/StateUpdates.h"

#include "frontends/attn/Check/Names/Scopes.h"

#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

/// Converts the right side of `<-` to a tensor of the type of the left side.
ExprRef StateUpdates::nextValue(const Type &declared, const ast::UpdateStmt &stmt, const Value &value) {
  ExprRef next = value.isError() ? nullptr : conversions.asTensor(value, stmt.value->range, declared.element);
  if (!next)
    return nullptr;
  if (next->type.element == declared.element && next->type.rank() == 0 && declared.rank() > 0)
    next = build.make(Fill{next}, declared, stmt.value->range);
  if (next->type == declared)
    return next;
  reporter.typeError(DiagnosticKind::DimMismatch, stmt.value->range,
                     fmt::format("`{}` is {}, but its new value is {}", reporter.text(stmt.target->range),
                                 textOf(declared), textOf(next->type)));
  return nullptr;
}

/// Returns the state of a module with that name; null for other names.
static const Parameter *moduleState(const ModuleValue &self, const std::string &name) {
  if (!self.instance)
    return nullptr;
  auto member = self.instance->members.find(name);
  auto *field = member == self.instance->members.end() ? nullptr : member->second.value.as<ParameterValue>();
  return field && field->parameter->isUpdated ? field->parameter : nullptr;
}

void StateUpdates::updateModuleState(const Parameter &state, const ast::UpdateStmt &stmt, const Value &value,
                                     const ModuleValue &self) {
  ExprRef next = nextValue(state.type, stmt, value);
  if (!next || !states.isAssignable(state))
    return;
  if (indexScopes.isInBody()) {
    reporter.notSupported(stmt.range, "updating a state inside index notation");
    return;
  }
  StateValues::Picks picks(self.picks.begin(), self.picks.begin() + static_cast<ptrdiff_t>(state.counts.size()));
  if (!states.isOfCurrentElements(state, picks)) {
    reporter.notSupported(stmt.range, "updating a state of a module in a list, except in a loop over the list that is "
                                      "in no other loop,");
    return;
  }
  states.assign(state, picks, next, stmt.range);
}

void StateUpdates::update(const ast::UpdateStmt &stmt, Scope &scope) {
  auto *name = stmt.target->as<ast::NameRefExpr>();
  Binding *binding = name ? findBinding(scope, name->name) : nullptr;
  Value value = expressions.check(*stmt.value, scope);
  const Parameter *state = name && !binding ? moduleState(scope.self, name->name) : nullptr;
  if (state)
    return updateModuleState(*state, stmt, value, scope.self);
  if (!binding || !binding->isState) {
    reporter
        .error(DiagnosticKind::NotAssignable, stmt.target->range,
               fmt::format("`{}` is not a state that can be updated here", reporter.text(stmt.target->range)))
        .hint("a function updates the states of its module, the step of an optimizer its parameter and the optimizer's "
              "states; a variable is assigned by `=`");
    return;
  }
  if (ExprRef next = nextValue(binding->value.tensor()->type, stmt, value))
    binding->value = bindValue(lets, origins, name->name, TensorValue{next}, stmt.target->range);
}

} // namespace attnc::check
