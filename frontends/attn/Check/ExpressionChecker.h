//===- ExpressionChecker.h - interfaces of the recursion over expressions and blocks ------------------------------===//
#pragma once

#include "frontends/attn/Check/Value.h"

namespace attnc::check {

class ExpressionChecker {
public:
  virtual ~ExpressionChecker() = default;
  /// The value of an expression; an ErrorValue where an error was reported.
  virtual Value check(const ast::Expr &expr, Scope &scope) = 0;

  /// Counts a round of an unrolled loop towards the limit on the size of programs, as an expression is counted.
  void countStep() { ++steps; }

protected:
  uint64_t steps = 0;
};

class BlockChecker {
public:
  virtual ~BlockChecker() = default;
  /// The value of a block's last statement; `returned` becomes true where a `return` ended the block.
  virtual Value check(const ast::Block &block, Scope &scope, bool &returned) = 0;
};

} // namespace attnc::check
