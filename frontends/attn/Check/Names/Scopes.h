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

  /// Returns a new scope without names, in which lookup finds the top level of a file.
  Scope &unitScope(SourceUnit *unit);
  /// Returns a new scope without names, in which lookup finds the members of a module, then the top level of its file.
  Scope &moduleScope(const ModuleValue &self);
  /// Returns a new outermost scope of a function, for its parameters.
  Scope &functionScope(const FunctionValue &function);
  /// Returns a new scope inside of `parent`.
  Scope &childOf(Scope &parent);

  /// Binds a local name; `_` binds nothing. Reports a name of a builtin, and repetition in the same scope, and binds
  /// the name nevertheless. A name of an enclosing scope may be hidden.
  void bindLocal(Scope &scope, const ast::Name &name, Value value, bool isVar);

private:
  Reporter &reporter;
  std::deque<Scope> scopes;
};

/// Returns the binding of a name in a scope or its parents; null if there is none, as for members of modules, items of
/// files and builtins.
Binding *findBinding(Scope &scope, const std::string &name);

/// Returns the value with its tensors, in tuples too, bound to locals `name`, so that each is computed once. Open
/// tensors and scalars of element type Index remain as they are, and so do other values.
Value bindValue(LetBuilder &lets, Origins &origins, const std::string &name, const Value &value, SourceRange range);

} // namespace attnc::check
