//===- ExpressionChecker.h - interfaces of the mutual recursion over expressions and blocks -----------------------===//
#pragma once

#include "frontends/attn/Check/Value.h"

namespace attnc::check {

/// Checker of expressions, which the Checker implements.
class ExpressionChecker {
public:
  virtual ~ExpressionChecker() = default;
  /// Returns the value of an expression; an ErrorValue if an error was reported.
  virtual Value check(const ast::Expr &expr, Scope &scope) = 0;

  /// Counts an iteration of an unrolled loop, like an expression, towards the limit of a program's size.
  void countStep() { ++steps; }

protected:
  uint64_t steps = 0; ///< expressions and iterations checked so far
};

/// Checker of blocks, which Statements implements.
class BlockChecker {
public:
  virtual ~BlockChecker() = default;
  /// Returns the value of the last statement, or of a `return` that ended the block, for which `returned` becomes true.
  /// A NothingValue if the last statement is no expression; an ErrorValue if it has an error.
  virtual Value check(const ast::Block &block, Scope &scope, bool &returned) = 0;
};

} // namespace attnc::check
