//===- Loops.h - `for` statements ---------------------------------------------------------------------------------===//
//
// A loop over a list of equal modules (ModuleListValue) becomes one typed::Loop, whose loop-carried values are the
// variables around it that its body assigns, or updates by `<-` in the step of an optimizer; numbers become tensors.
// Updates of module states are carried or stacked too (StateValues.h).
// Other loops, over tuples and numbers, are unrolled.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Names/Scopes.h"
#include "frontends/attn/Check/Names/StateValues.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

/// Checker of `for` statements, a part of Statements.
class Loops {
public:
  Loops(typed::Program &program, Reporter &reporter, Builder &build, LetBuilder &lets, Scopes &scopes,
        StateValues &states, Conversions &conversions, LoopNest &loopsAround, ExpressionChecker &expressions,
        BlockChecker &blocks)
      : program(program), reporter(reporter), build(build), lets(lets), scopes(scopes), states(states),
        conversions(conversions), loopsAround(loopsAround), expressions(expressions), blocks(blocks) {}

  /// Checks a loop and adds its statements to the current block. A variable that the body assigns has its last value
  /// afterwards; after an error its value is unspecified, mostly an ErrorValue. A `return` in the body is an error;
  /// `returned` is then true.
  void check(const ast::ForStmt &stmt, Scope &scope, bool &returned);

private:
  void unroll(const ast::ForStmt &stmt, const std::vector<Value> &values, Scope &scope, bool &returned);
  void loopOverModules(const ast::ForStmt &stmt, const ModuleListValue &list, Scope &scope, bool &returned);
  bool carry(typed::Loop &loop, const std::string &name, Binding &binding, const ast::ForStmt &stmt);
  void takeNext(typed::Loop::Carried &carried, Binding &variable, SourceRange range);

  typed::Program &program;
  Reporter &reporter;
  Builder &build;
  LetBuilder &lets;
  Scopes &scopes;
  StateValues &states;
  Conversions &conversions;
  LoopNest &loopsAround;
  ExpressionChecker &expressions;
  BlockChecker &blocks;
};

} // namespace attnc::check
