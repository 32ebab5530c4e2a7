//===- FunctionBodies.h - function bodies and their declared results ----------------------------------------------===//
#pragma once

#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Types/DeclaredTypes.h"

namespace attnc::check {

/// Checks the bodies of functions. Calls uses it for a call, Entries for an entry point: enter, then check, then leave.
class FunctionBodies {
public:
  FunctionBodies(Reporter &reporter, CallStack &calls, Scopes &scopes, DeclaredTypes &types, BlockChecker &blocks)
      : reporter(reporter), calls(calls), scopes(scopes), types(types), blocks(blocks) {}

  /// Pushes a function on the call stack; `call` is the call in the source. For a recursive call, reports an error,
  /// pushes nothing and returns false. Also reports parameters with the same name, but pushes their function.
  bool enter(const FunctionValue &function, SourceRange call);
  /// Pops the function of the last successful `enter`.
  void leave() { calls.pop(); }
  /// Checks the body of a function, whose parameters are bound in `scope`, the function's scope, and returns its value.
  /// If results are declared, the value is converted to their types: one value, or a TupleValue of several. Without
  /// declared results, a body that ends without an expression has a NothingValue. An ErrorValue if the value itself or
  /// its conversion has an error; if only some of several values have a wrong type, a TupleValue with ErrorValues for
  /// these. Errors in other statements are reported, but do not change the value. Also warns of probably misspelt
  /// dimensions (warnNearMiss of Types/DeclaredTypes.h).
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
