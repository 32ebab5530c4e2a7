//===- Constants.h - arithmetic on compile-time numbers and sizes -------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// Evaluate an operator on compile-time numbers. Null if an operand is no number, or if the result is not a
/// compile-time number, such as `n < m` for dynamic sizes; it is then computed at run time. An ErrorValue, with an
/// error, for a division of integers that is not exact, and for a result beyond 64 bits.
std::optional<Value> foldBinary(Reporter &reporter, const ast::BinaryExpr &expr, const Value &a, const Value &b);
std::optional<Value> foldUnary(const ast::UnaryExpr &expr, const Value &a);

/// Return a value as a compile-time integer (the length of a list, an axis) and as a size, which may be dynamic. Null
/// for other values, with an error, and for an ErrorValue. `what` begins the message.
std::optional<int64_t> asInteger(Reporter &reporter, const Value &value, SourceRange range, const char *what);
std::optional<Dim> asSize(Reporter &reporter, const Value &value, SourceRange range);
/// Checks an expression and returns its value by asInteger.
std::optional<int64_t> constantInteger(Reporter &reporter, ExpressionChecker &expressions, const ast::Expr &expr,
                                       Scope &scope, const char *what);

} // namespace attnc::check
