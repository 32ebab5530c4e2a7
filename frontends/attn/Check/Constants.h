//===- Constants.h - arithmetic on compile-time numbers and sizes -------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// Evaluates an operator on compile-time numbers; null if an operand is not one.
std::optional<Value> foldBinary(Reporter &reporter, const ast::BinaryExpr &expr, const Value &a, const Value &b);
std::optional<Value> foldUnary(const ast::UnaryExpr &expr, const Value &a);

/// Returns a value as a compile-time integer, for the length of a list or an axis. Reports other values.
std::optional<int64_t> asInteger(Reporter &reporter, const Value &value, SourceRange range, const char *what);
std::optional<Dim> asSize(Reporter &reporter, const Value &value, SourceRange range);
std::optional<int64_t> constantInteger(Reporter &reporter, ExpressionChecker &expressions, const ast::Expr &expr,
                                       Scope &scope, const char *what);

} // namespace attnc::check
