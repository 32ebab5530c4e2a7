//===- Constants.h - arithmetic on compile-time numbers and sizes -------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// An operator on compile-time numbers; nothing where an operand is none.
std::optional<Value> foldBinary(Reporter &reporter, const ast::BinaryExpr &expr, const Value &a, const Value &b);
std::optional<Value> foldUnary(const ast::UnaryExpr &expr, const Value &a);

/// A value as a compile-time integer, for a list's length or an axis. Reports other values.
std::optional<int64_t> asInteger(Reporter &reporter, const Value &value, SourceRange range, const char *what);
std::optional<Dim> asSize(Reporter &reporter, const Value &value, SourceRange range);
std::optional<int64_t> constantInteger(Reporter &reporter, ExpressionChecker &expressions, const ast::Expr &expr,
                                       Scope &scope, const char *what);

} // namespace attnc::check
