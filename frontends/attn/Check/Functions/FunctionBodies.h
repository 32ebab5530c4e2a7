//===- FunctionBodies.h - function bodies and their declared results ----------------------------------------------===//
#pragma once

#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Types/DeclaredTypes.h"

namespace attnc::check {

/// Checks the bodies of functions that are called or entry points.
class FunctionBodies {
public:
  FunctionBodies(Reporter &reporter, CallStack &calls, Scopes &scopes, DeclaredTypes &types, BlockChecker &blocks)
      : reporter(reporter), calls(calls), scopes(scopes), types(types), blocks(blocks) {}

  /// Pushes a function on the call stack. False, with an error, for a recursive call, which is not pushed.
  bool enter(const FunctionValue &function, SourceRange call);
  void leave() { calls.pop(); }
  /// Returns the value of a body whose parameters are bound in `scope`, the function's scope. It conforms to the
  /// declared results, if there are any: one value, or a TupleValue of several. An ErrorValue after an error.
  Value check(const ast::FunctionDecl &decl, Scope &scope);

private:
  Value conformResults(const ast::FunctionDecl &decl, const Value &value, SourceRange bodyRange, Scope &scope);

  Reporter &reporter;
  CallStack &calls;
  Scopes &scopes;
  DeclaredTypes &types;
  BlockChecker &blocks;
};

} // namespace attnc::check
