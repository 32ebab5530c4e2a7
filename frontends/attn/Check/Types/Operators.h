//===- Operators.h - unary, binary and conditional operators ------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/RangeProofs.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

/// Checker of operators: `-x`, `not x`, `x'`, binary operators, and `if c then a else b`. An operator of compile-time
/// numbers or booleans is evaluated unless its result is unknown, such as that of a comparison of different dynamic
/// sizes. A compile-time operand of `and` or `or` decides the result, as `false and x`, or is dropped. Any other
/// operator becomes a typed expression. The functions return the value of the expression; an ErrorValue after an error,
/// which they report.
class Operators {
public:
  Operators(Reporter &reporter, Builder &build, const Origins &origins, Guards &guards, Conversions &conversions,
            ExpressionChecker &expressions)
      : reporter(reporter), build(build), origins(origins), guards(guards), conversions(conversions),
        expressions(expressions) {}

  Value unary(const ast::UnaryExpr &expr, Scope &scope);
  Value binary(const ast::BinaryExpr &expr, Scope &scope);
  /// Checks `if c then a else b`. If the condition is a compile-time value, only the chosen branch is checked; the
  /// result is its value. Otherwise both branches are checked, each with the condition among the guards
  /// (LinearForms.h), and the result is a Select.
  Value conditional(const ast::ConditionalExpr &expr, Scope &scope);

private:
  Value checkRight(const ast::BinaryExpr &expr, const Value &left, Scope &scope);
  Value binary(const ast::BinaryExpr &expr, const Value &a, const Value &b);
  Value logical(typed::Op op, const Operand &left, const Operand &right, const ast::BinaryExpr &expr,
                const std::string &what);
  Value power(const Operand &left, const Operand &right, const ast::BinaryExpr &expr, const std::string &what);
  Value matMul(typed::ExprRef a, typed::ExprRef b, const ast::BinaryExpr &expr);

  Reporter &reporter;
  Builder &build;
  const Origins &origins;
  Guards &guards;
  Conversions &conversions;
  ExpressionChecker &expressions;
};

} // namespace attnc::check
