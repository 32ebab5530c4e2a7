//===- ExpressionChecker.h - interfaces of the mutual recursion over expressions and blocks -----------------------===//
#pragma once

#include "frontends/attn/Check/Value.h"

namespace attnc::check {

struct CheckedArgument;

/// Interface of the checker of expressions, which the class Checker implements.
class ExpressionChecker {
public:
  virtual ~ExpressionChecker() = default;
  /// Checks an expression, with names looked up in `scope`, and returns its value; an ErrorValue if it has an error,
  /// which has been reported.
  virtual Value check(const ast::Expr &expr, Scope &scope) = 0;
  /// Returns element `index`, a scalar of element type Index, along the first dimension of the tensor `stack`; an
  /// ErrorValue after an error.
  virtual Value elementOf(typed::ExprRef stack, typed::ExprRef index) = 0;

  /// Counts an iteration of an unrolled loop towards the limit of a program's size, like one expression.
  void countStep() { ++steps; }

protected:
  uint64_t steps = 0; ///< expressions and iterations checked so far
};

/// Interface of the checker of calls, which the class Calls implements.
class CallChecker {
public:
  virtual ~CallChecker() = default;
  /// Returns the value of a call of `callee`: a function, a lambda, a builtin, a decoder (DecoderCalls.h), or a module,
  /// whose function without a name is called. Reports other values. In the step of an optimizer, a call of a number
  /// returns the number: a learning rate is a number or a function of the step. `name` is the callee as in the source,
  /// at `calleeRange`; `range` is the call. Neither `callee` nor an argument is an ErrorValue.
  virtual Value callValue(const Value &callee, const std::string &name, SourceRange calleeRange, SourceRange range,
                          std::vector<CheckedArgument> arguments) = 0;
};

/// Interface of the checker of blocks, which the class Statements implements.
class BlockChecker {
public:
  virtual ~BlockChecker() = default;
  /// Checks the statements of a block in `scope` and adds them to the current block of the typed AST (LetBuilder).
  /// Returns the value of the last statement: that of an expression, an ErrorValue if it has an error; that of the
  /// chosen block of an `if`, an ErrorValue if its condition is invalid, a NothingValue if no block is chosen; a
  /// NothingValue for other statements and an empty block. If a `return` ends the block, sets `returned` to true, and
  /// returns the value of the `return`; a `return` in a `for`, which is an error, also sets `returned`, and the result
  /// is a NothingValue.
  virtual Value check(const ast::Block &block, Scope &scope, bool &returned) = 0;
};

} // namespace attnc::check
