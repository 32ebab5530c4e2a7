//===- Constants.h - arithmetic on compile-time numbers and sizes -------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// Evaluate an operator on compile-time numbers (Value::isNumber), which include sizes. Return null if an operand is no
/// number, if the result is not known at compile time, such as `n < m` for dynamic sizes, or if the operator does not
/// apply to the types, such as `true + 1`; the caller then checks it as an operator on tensors. foldBinary returns an
/// ErrorValue, with an error, for a division of integers or sizes by zero or with a remainder, and for a sum,
/// difference, product or power of integers or sizes beyond 64 bits. A power of an integer or size is one too if the
/// exponent is a constant integer from 0 to 62; any other power of constants is a double. For integers, a % 0 is a.
std::optional<Value> foldBinary(Reporter &reporter, const ast::BinaryExpr &expr, const Value &a, const Value &b);
std::optional<Value> foldUnary(const ast::UnaryExpr &expr, const Value &a);

/// Return a value as a compile-time integer (the length of a list, an axis), and as a size, which may be dynamic.
/// Return null, with an error at `range`, for other values; and null, without another error, for an ErrorValue. `what`
/// begins the message: "the axis".
std::optional<int64_t> asInteger(Reporter &reporter, const Value &value, SourceRange range, const char *what);
std::optional<Dim> asSize(Reporter &reporter, const Value &value, SourceRange range);
/// Checks an expression in `scope` and returns its value by asInteger.
std::optional<int64_t> constantInteger(Reporter &reporter, ExpressionChecker &expressions, const ast::Expr &expr,
                                       Scope &scope, const char *what);

} // namespace attnc::check
