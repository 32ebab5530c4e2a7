//===- Scopes.h - lexical scopes and local names ------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/LetBuilder.h"
#include "frontends/attn/Check/Origins.h"
#include "frontends/attn/Check/Reporter.h"

#include <deque>

namespace attnc::check {

/// Creates and owns all scopes (Value.h) of a check. They live until its end, because lambdas refer to scopes.
class Scopes {
public:
  explicit Scopes(Reporter &reporter) : reporter(reporter) {}

  /// Returns a new scope without names, in which lookup finds the items of a file.
  Scope &unitScope(SourceUnit *unit);
  /// Returns a new scope without names, in which lookup finds the members of a module, then the items of its file.
  Scope &moduleScope(const ModuleValue &self);
  /// Returns a new scope without names for the parameters of a function, the outermost scope of the function.
  Scope &functionScope(const FunctionValue &function);
  /// Returns a new scope without names inside of `parent`.
  Scope &childOf(Scope &parent);

  /// Binds a local name in `scope` to `value`; `_` binds nothing. `isVar`: `=` may assign it. Reports a name of a
  /// builtin, and binds it nevertheless. Reports a name that `scope` has already; its value is then replaced, and its
  /// declaration and isVar remain. A name of an enclosing scope may be hidden.
  void bindLocal(Scope &scope, const ast::Name &name, Value value, bool isVar);

private:
  Reporter &reporter;
  std::deque<Scope> scopes;
};

/// Returns the innermost binding of a name in a scope and its parents; null if there is none, as for members of
/// modules, items of files and builtins.
Binding *findBinding(Scope &scope, const std::string &name);

/// Binds the tensors in a value, also those in tuples, to locals with the name `name` (LetBuilder::bind), so that each
/// is computed once. Returns the value with references to the locals. Open expressions, scalars of element type Index,
/// expressions that LetBuilder::bind returns unchanged, and values that are no tensors remain as they are. Records the
/// variables in `origins`.
Value bindValue(LetBuilder &lets, Origins &origins, const std::string &name, const Value &value, SourceRange range);

} // namespace attnc::check
