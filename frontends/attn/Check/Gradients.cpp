// Where no gradient passes: said at the place, unless `stop` says that none is wanted.

#include "frontends/attn/Check/Checker.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

/// Does a number depend on what gradients are taken by? Loops over modules are taken to.
bool Checker::isActive(ExprRef expr) {
  auto [known, isNew] = activity.emplace(expr, false);
  if (!isNew)
    return known->second;
  bool active = false;
  auto visit = [&](ExprRef operand) { active = active || (operand && isActive(operand)); };
  auto *operation = expr->as<Elementwise>();
  if (expr->type.element != Element::F32 || (operation && operation->op == Op::Stop))
    active = false;
  else if (auto *parameter = expr->as<ParameterRef>())
    active = !parameter->parameter->frozen;
  else if (auto *node = expr->as<LocalRef>())
    active = isActiveLocal(node->local);
  else if (auto *node = expr->as<Attend>())
    for (ExprRef part : {node->score, node->weight, node->value, node->sink})
      visit(part);
  else
    forEachOperand(*expr, visit);
  return activity[expr] = active;
}

bool Checker::isActiveLocal(const Local *local) {
  if (entryLocals.count(local))
    return !isTraining; // gradients by the arguments too
  if (PendingAttend *pending = build.pendingOf(local)) {
    ExprRef parts[] = {pending->score, pending->weight, pending->value, pending->sink};
    return std::any_of(std::begin(parts), std::end(parts), [&](ExprRef part) { return part && isActive(part); });
  }
  ExprRef definition = build.definitionOf(local);
  return !definition || isActive(definition);
}

bool Checker::isOfChosenKeys(ExprRef expr) {
  if (expr->type.element != Element::I32)
    return false;
  if (auto *node = expr->as<LocalRef>()) {
    if (build.pendingOf(node->local))
      return isActiveLocal(node->local);
    ExprRef definition = build.definitionOf(node->local);
    if (definition && definition->as<Attend>())
      return isActive(definition->as<Attend>()->score);
    return definition && isOfChosenKeys(definition);
  }
  bool isOne = false;
  forEachOperand(*expr, [&](ExprRef operand) { isOne = isOne || (operand && isOfChosenKeys(operand)); });
  return isOne;
}

bool Checker::passesNoGradient(ExprRef x, SourceRange range, const std::string &what) {
  if (!isDifferentiated || !isActive(x))
    return true;
  error(DiagnosticKind::NoGradient, range,
        fmt::format("no gradient passes through {}, and what it is of depends on {}", what,
                    isTraining ? "parameters that are trained" : "what gradients are taken by"))
      .hint("`stop(x)` inside says that none is wanted; a weighted choice, by `attend` or `nn.softmax`, has one");
  return false;
}

} // namespace attnc::check
