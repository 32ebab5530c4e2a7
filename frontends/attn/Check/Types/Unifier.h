//===- Unifier.h - unification of parameter types with argument types ---------------------------------------------===//
//
// Unification binds the named dimensions in the types of a function's parameters to the sizes of the arguments of a
// call, and compares the sizes of names that are bound already, also those of hyperparameters and constants. A size
// that is not a name, such as `2 * n`, is handled after the names of all parameters are bound: it is compared with the
// size of the argument; or, if one name in it is unbound and the size is linear in the name, it is solved for that
// name.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Types/DeclaredTypes.h"

namespace attnc::check {

/// The unification of one call: `unify` for each parameter with a type, then `finish`. `scope` is the function's scope,
/// in which it binds dimensions and `..`.
class Unifier {
public:
  Unifier(Reporter &reporter, const Origins &origins, Names &names, DeclaredTypes &types, Scope &scope)
      : reporter(reporter), origins(origins), names(names), types(types), scope(scope) {}

  /// Unifies the type of one parameter with the argument `tensor`, at `range` in the source. The element type is not
  /// compared. False, with an error, if the rank, a size or the bound of a dimension does not fit, if a dimension is a
  /// name of a value that is no size, or if the type has two `..`.
  bool unify(const ast::TensorType &type, typed::ExprRef tensor, SourceRange range);
  /// Compares or solves the sizes that are not names. False, with an error, if one does not fit, or has an unbound
  /// name for which it cannot be solved; the name is then bound to an ErrorValue. Requires that `unify` has been called
  /// for all parameters with types.
  bool finish();

private:
  /// A size that is not a name, for `finish`.
  struct LaterDim {
    const ast::Dimension *dimension;
    Dim actual;
    SourceRange range;
    typed::ExprRef tensor;
  };
  bool unifyDim(const ast::Dimension &dimension, const Dim &actual, SourceRange range, typed::ExprRef tensor);
  std::optional<bool> solveDim(const LaterDim &late);

  Reporter &reporter;
  const Origins &origins;
  Names &names;
  DeclaredTypes &types;
  Scope &scope;
  std::vector<LaterDim> later;
};

} // namespace attnc::check
