#include "frontends/attn/Check/Gradients.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

void Gradients::beginEntry() {
  arguments.clear();
  activity.clear();
}

/// Loop-carried values count as active.
bool Gradients::isActive(ExprRef expr) {
  auto [known, isNew] = activity.emplace(expr, false);
  if (!isNew)
    return known->second;
  bool active = false;
  auto visit = [&](ExprRef operand) { active = active || (operand && isActive(operand)); };
  auto *operation = expr->as<Elementwise>();
  if (expr->type.element != Element::F32 || (operation && operation->op == Op::Stop) || expr->as<typed::Gradient>())
    active = false;
  else if (auto *parameter = expr->as<ParameterRef>())
    active = !variable && !parameter->parameter->frozen;
  else if (auto *node = expr->as<LocalRef>())
    active = isActiveLocal(node->local);
  else if (auto *node = expr->as<Attend>())
    for (ExprRef part : {node->score, node->weight, node->value, node->sink})
      visit(part);
  else
    forEachOperand(*expr, visit);
  return activity[expr] = active;
}

bool Gradients::isActiveLocal(const Local *local) {
  if (local == variable)
    return true;
  if (variable && local->number < variable->number) // of the expressions around `gradient(f, x)`
    return false;
  if (arguments.count(local))
    return !context.isTraining; // outside of a training step, arguments are variables of differentiation
  if (const PendingAttend *pending = pendings.find(local)) {
    ExprRef parts[] = {pending->score, pending->weight, pending->value, pending->sink};
    return std::any_of(std::begin(parts), std::end(parts), [&](ExprRef part) { return part && isActive(part); });
  }
  ExprRef definition = lets.definitionOf(local);
  return !definition || isActive(definition);
}

bool Gradients::dependsOnChosenKeys(ExprRef expr) {
  if (expr->type.element != Element::I32)
    return false;
  if (auto *node = expr->as<LocalRef>()) {
    if (pendings.find(node->local))
      return isActiveLocal(node->local);
    ExprRef definition = lets.definitionOf(node->local);
    if (definition && definition->as<Attend>())
      return isActive(definition->as<Attend>()->score);
    return definition && dependsOnChosenKeys(definition);
  }
  bool isOne = false;
  forEachOperand(*expr, [&](ExprRef operand) { isOne = isOne || (operand && dependsOnChosenKeys(operand)); });
  return isOne;
}

bool Gradients::passesNoGradient(ExprRef x, SourceRange range, const std::string &what) {
  if (!areTaken() || !isActive(x))
    return true;
  reporter
      .error(
          DiagnosticKind::NoGradient, range,
          fmt::format("no gradient passes through {}, and its argument depends on {}", what,
                      context.isTraining && !variable ? "parameters that are trained" : "the inputs of the gradient"))
      .hint("write `stop(x)` inside if no gradient is needed; a weighted choice by `attend` or `nn.softmax` has one");
  return false;
}

} // namespace attnc::check
