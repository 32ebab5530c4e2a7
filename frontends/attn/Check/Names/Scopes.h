//===- Scopes.h - lexical scopes and local names ------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/LetBuilder.h"
#include "frontends/attn/Check/Origins.h"
#include "frontends/attn/Check/Reporter.h"

#include <deque>

namespace attnc::check {

/// Owns all scopes, because scopes and lambdas refer to each other.
class Scopes {
public:
  explicit Scopes(Reporter &reporter) : reporter(reporter) {}

  /// Returns a scope with the top level of a file.
  Scope &unitScope(SourceUnit *unit);
  /// Returns a scope with the members of a module, then the top level of its file.
  Scope &moduleScope(const ModuleValue &self);
  /// Returns the outermost scope of a function.
  Scope &functionScope(const FunctionValue &function);
  Scope &childOf(Scope &parent);

  /// Binds a new local name; reports shadowing of builtins, and repetition in the same scope.
  void bindLocal(Scope &scope, const ast::Name &name, Value value, bool isVar);

private:
  Reporter &reporter;
  std::deque<Scope> scopes;
};

/// Returns the binding of a name in a scope or its parents; null for names of modules and files.
Binding *findBinding(Scope &scope, const std::string &name);

/// Binds closed tensors of a value to locals, so that each is computed once.
Value bindValue(LetBuilder &lets, Origins &origins, const std::string &name, const Value &value, SourceRange range);

} // namespace attnc::check
