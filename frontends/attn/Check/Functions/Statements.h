//===- Statements.h - blocks and their statements -----------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Functions/Loops.h"
#include "frontends/attn/Check/Functions/StateUpdates.h"
#include "frontends/attn/Check/Types/DeclaredTypes.h"

namespace attnc::check {

/// Checker of blocks and of their statements: `let`, `var`, `const`, assignments, `<-`, `for`, `if`, `return` and
/// expressions. The condition of an `if` statement has to be a compile-time value; only the chosen block is checked.
class Statements : public BlockChecker {
public:
  Statements(typed::Program &program, Reporter &reporter, Builder &build, LetBuilder &lets, Origins &origins,
             Scopes &scopes, StateValues &states, Names &names, DeclaredTypes &types, Conversions &conversions,
             StateUpdates &updates, LoopNest &loopsAround, ExpressionChecker &expressions)
      : reporter(reporter), lets(lets), origins(origins), scopes(scopes), names(names), types(types), updates(updates),
        expressions(expressions),
        loops(program, reporter, build, lets, scopes, states, conversions, loopsAround, expressions, *this) {}

  Value check(const ast::Block &block, Scope &scope, bool &returned) override;

private:
  Value statement(const ast::Stmt &stmt, Scope &scope, bool &returned);
  void let(const ast::LetStmt &stmt, Scope &scope);
  void constant(const ast::ConstDecl &decl, Scope &scope);
  void assign(const ast::AssignStmt &stmt, Scope &scope);
  Value conditional(const ast::IfStmt &stmt, Scope &scope, bool &returned);

  Reporter &reporter;
  LetBuilder &lets;
  Origins &origins;
  Scopes &scopes;
  Names &names;
  DeclaredTypes &types;
  StateUpdates &updates;
  ExpressionChecker &expressions;
  Loops loops;
};

} // namespace attnc::check
