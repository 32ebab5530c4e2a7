//===- ExpressionChecker.h - interfaces of the mutual recursion over expressions and blocks -----------------------===//
#pragma once

#include "frontends/attn/Check/Value.h"

namespace attnc::check {

class ExpressionChecker {
public:
  virtual ~ExpressionChecker() = default;
  /// Returns the value of an expression; an ErrorValue if an error was reported.
  virtual Value check(const ast::Expr &expr, Scope &scope) = 0;

  /// Counts an iteration of an unrolled loop, like an expression, towards the limit of a program's size.
  void countStep() { ++steps; }

protected:
  uint64_t steps = 0;
};

class BlockChecker {
public:
  virtual ~BlockChecker() = default;
  /// Returns the value of a block's last statement; `returned` becomes true if a `return` ended the block.
  virtual Value check(const ast::Block &block, Scope &scope, bool &returned) = 0;
};

} // namespace attnc::check
