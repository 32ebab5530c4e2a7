#include "frontends/attn/Check/Types/Operators.h"

#include "frontends/attn/Check/Constants.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;
using ast::BinaryOp;

Value Operators::unary(const ast::UnaryExpr &expr, Scope &scope) {
  Value value = expressions.check(*expr.operand, scope);
  if (value.isError())
    return value;
  if (std::optional<Value> folded = foldUnary(expr, value))
    return *folded;
  if (expr.op == ast::UnaryOp::Not) {
    ExprRef condition = conversions.asCondition(value, expr.operand->range, "`not`");
    return condition ? Value(TensorValue{build.elementwise(Op::Not, {condition}, expr.range)}) : Value();
  }
  ExprRef tensor = conversions.asTensor(value, expr.operand->range);
  if (!tensor)
    return Value();
  if (expr.op == ast::UnaryOp::Negate) {
    if (tensor->type.element == Element::Bool)
      return conversions.asReal(value, expr.operand->range, "`-`") ? Value() : Value();
    return TensorValue{build.elementwise(Op::Neg, {tensor}, expr.range)};
  }
  if (tensor->type.rank() < 2) {
    reporter
        .typeError(DiagnosticKind::RankMismatch, expr.operand->range,
                   "`'` swaps the last two dimensions, and this has fewer")
        .label(textOf(tensor->type));
    return Value();
  }
  std::vector<unsigned> permutation(tensor->type.rank());
  for (unsigned i = 0; i < permutation.size(); ++i)
    permutation[i] = i;
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return TensorValue{build.permute(tensor, std::move(permutation), expr.range)};
}

static std::optional<Op> operatorOf(BinaryOp op) {
  static constexpr std::pair<BinaryOp, Op> table[] = {
      {BinaryOp::Add, Op::Add}, {BinaryOp::Sub, Op::Sub}, {BinaryOp::Mul, Op::Mul}, {BinaryOp::Div, Op::Div},
      {BinaryOp::Mod, Op::Rem}, {BinaryOp::Pow, Op::Pow}, {BinaryOp::Eq, Op::Eq},   {BinaryOp::Ne, Op::Ne},
      {BinaryOp::Lt, Op::Lt},   {BinaryOp::Le, Op::Le},   {BinaryOp::Gt, Op::Gt},   {BinaryOp::Ge, Op::Ge},
      {BinaryOp::And, Op::And}, {BinaryOp::Or, Op::Or}};
  for (auto [written, meant] : table)
    if (written == op)
      return meant;
  return std::nullopt;
}

/// Checks a chain `a + b + c + ...` from the innermost operator to the outermost, without recursion on its left side.
Value Operators::binary(const ast::BinaryExpr &expr, Scope &scope) {
  std::vector<const ast::BinaryExpr *> chain = {&expr};
  while (auto *inner = chain.back()->lhs->as<ast::BinaryExpr>())
    chain.push_back(inner);
  Value value = expressions.check(*chain.back()->lhs, scope);
  for (; !chain.empty(); chain.pop_back())
    value = binary(*chain.back(), value, checkRight(*chain.back(), value, scope));
  return value;
}

/// The right operand. That of `and` has effect only if the left one is true, and that of `or` only if it is false, so
/// the left operand is a condition around its subscripts.
Value Operators::checkRight(const ast::BinaryExpr &expr, const Value &left, Scope &scope) {
  auto *condition = left.as<TensorValue>();
  bool isLogical = expr.op == BinaryOp::And || expr.op == BinaryOp::Or;
  bool isGuard = isLogical && condition && condition->expr->type.element == Element::Bool;
  if (isGuard)
    guards.push_back({condition->expr, expr.op == BinaryOp::And});
  Value right = expressions.check(*expr.rhs, scope);
  if (isGuard)
    guards.pop_back();
  return right;
}

Value Operators::binary(const ast::BinaryExpr &expr, const Value &a, const Value &b) {
  if (a.isError() || b.isError())
    return Value();
  if (std::optional<Value> folded = foldBinary(reporter, expr, a, b))
    return *folded;
  Operand left{a, expr.lhs->range}, right{b, expr.rhs->range};
  std::string what = fmt::format("`{}`", reporter.text(expr.opRange));
  if (expr.op == BinaryOp::MatMul) {
    ExprRef x = conversions.asReal(a, left.range, what), y = conversions.asReal(b, right.range, what);
    return x && y ? matMul(x, y, expr) : Value();
  }
  Op op = *operatorOf(expr.op);
  if (op == Op::And || op == Op::Or)
    return logical(op, left, right, expr, what);
  if (op == Op::Pow)
    return power(left, right, expr, what);
  for (const Operand &operand : {left, right})
    if (const Expr *tensor = operand.value.tensor(); tensor && tensor->type.element == Element::Bool)
      if (op != Op::Eq && op != Op::Ne) {
        conversions.asReal(operand.value, operand.range, what);
        return Value();
      }
  return conversions.elementwise(op, {left, right}, expr.range, what, expr.opRange);
}

/// A constant operand decides the result, as in `not causal or j <= i`, or is dropped.
Value Operators::logical(Op op, const Operand &left, const Operand &right, const ast::BinaryExpr &expr,
                         const std::string &what) {
  for (const auto &[known, other] : {std::pair(left, right), std::pair(right, left)})
    if (auto *truth = known.value.as<bool>()) {
      ExprRef rest = conversions.asCondition(other.value, other.range, what);
      if (!rest)
        return Value();
      return *truth == (op == Op::Or) ? Value(*truth) : Value(TensorValue{rest});
    }
  ExprRef x = conversions.asCondition(left.value, left.range, what);
  ExprRef y = conversions.asCondition(right.value, right.range, what);
  if (!x || !y)
    return Value();
  return conversions.elementwise(op, {{TensorValue{x}, left.range}, {TensorValue{y}, right.range}}, expr.range, what,
                                 expr.opRange);
}

Value Operators::power(const Operand &left, const Operand &right, const ast::BinaryExpr &expr,
                       const std::string &what) {
  if (right.value.as<Dim>() && *right.value.as<Dim>() == Dim(2))
    return conversions.elementwise(Op::Mul, {left, left}, expr.range, what);
  ExprRef x = conversions.asReal(left.value, left.range, what), y = conversions.asReal(right.value, right.range, what);
  if (!x || !y)
    return Value();
  return conversions.elementwise(Op::Pow, {{TensorValue{x}, left.range}, {TensorValue{y}, right.range}}, expr.range,
                                 what, expr.opRange);
}

Value Operators::matMul(ExprRef a, ExprRef b, const ast::BinaryExpr &expr) {
  auto report = [&](Diagnostic &diagnostic) {
    diagnostic.label(expr.lhs->range, textOf(a->type)).label(expr.rhs->range, textOf(b->type));
    return Value();
  };
  size_t aRank = a->type.rank(), bRank = b->type.rank();
  if (aRank == 0 || bRank == 0)
    return report(reporter.typeError(DiagnosticKind::RankMismatch, expr.opRange,
                                     "`@` multiplies matrices and vectors, but this is a number"));
  const Dim &k = a->type.shape.back(), &other = b->type.shape[bRank > 1 ? bRank - 2 : 0];
  if (k != other) {
    Diagnostic &mismatch = reporter.dimMismatch(expr.opRange, "contracted dimensions differ", k, other);
    origins.note(mismatch, a, expr.lhs->range, k);
    origins.note(mismatch, b, expr.rhs->range, other);
    return report(mismatch);
  }
  Shape aBatch(a->type.shape.begin(), a->type.shape.end() - static_cast<ptrdiff_t>(std::min<size_t>(aRank, 2)));
  Shape bBatch(b->type.shape.begin(), b->type.shape.end() - static_cast<ptrdiff_t>(std::min<size_t>(bRank, 2)));
  std::optional<Shape> shape = broadcast(aBatch, bBatch);
  if (!shape)
    return report(
        reporter.typeError(DiagnosticKind::DimMismatch, expr.opRange,
                           fmt::format("leading dimensions of `@` differ: {} and {}", textOf(aBatch), textOf(bBatch))));
  if (aRank > 1)
    shape->push_back(a->type.shape[aRank - 2]);
  if (bRank > 1)
    shape->push_back(b->type.shape.back());
  return TensorValue{build.make(MatMul{a, b}, {Element::F32, *shape}, expr.range)};
}

Value Operators::conditional(const ast::ConditionalExpr &expr, Scope &scope) {
  Value value = expressions.check(*expr.condition, scope);
  if (value.isError())
    return value;
  if (auto *holds = value.as<bool>())
    return expressions.check(*holds ? *expr.thenValue : *expr.elseValue, scope);
  ExprRef condition = conversions.asCondition(value, expr.condition->range, "the condition");
  if (!condition)
    return Value();
  guards.push_back({condition, true});
  Value a = expressions.check(*expr.thenValue, scope);
  guards.back().second = false;
  Value b = expressions.check(*expr.elseValue, scope);
  guards.pop_back();
  std::vector<Operand> branches = {{a, expr.thenValue->range}, {b, expr.elseValue->range}};
  std::vector<ExprRef> tensors = conversions.agree(branches, expr.range, "the branches", condition->type.rank() > 0);
  if (tensors.empty())
    return Value();
  branches.insert(branches.begin(), Operand{TensorValue{condition}, expr.condition->range});
  tensors.insert(tensors.begin(), condition);
  if (!conversions.checkBroadcast(tensors, branches, expr.range, "`if`"))
    return Value();
  return TensorValue{build.elementwise(Op::Select, std::move(tensors), expr.range)};
}

} // namespace attnc::check
