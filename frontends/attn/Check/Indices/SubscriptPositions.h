//===- SubscriptPositions.h - subscripts of a tensor by dimension -------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/DimensionBounds.h"
#include "frontends/attn/Check/Indices/IndexScopes.h"

namespace attnc::check {

/// The subscript of one dimension of a tensor: x[i] is an Index, x[2:5] a Range, x[:] or a missing subscript Whole.
struct Position {
  enum class Kind { Index, Range, Whole } kind = Kind::Whole;
  typed::ExprRef index = nullptr; ///< of an Index: a scalar of element type Index, or a tensor of integers; else null
  Dim lower, upper;               ///< of a Range: the elements from `lower` to `upper` - 1
  SourceRange range;              ///< the subscript in the source; invalid for a missing one
};

/// Checker of the subscripts between brackets, which it assigns to the dimensions of the tensor. Subscripts uses it.
class SubscriptPositions {
public:
  SubscriptPositions(Reporter &reporter, Builder &build, DimensionBounds &bounds, IndexScopes &indexScopes,
                     ExpressionChecker &expressions)
      : reporter(reporter), build(build), bounds(bounds), indexScopes(indexScopes), expressions(expressions) {}

  /// Returns one position for each dimension of the tensor `base`, in order; null, with an error, if a subscript is
  /// invalid. Missing subscripts are Whole. `..` stands for Whole positions; inside of index notation over `..`, it
  /// stands for the indices of that `..`, which the first use creates. An index without an extent gets the extent of
  /// the dimension that it subscripts. A slice of the whole dimension is Whole. A slice that may leave the dimension is
  /// an error; the proof that it does not may raise the minima of dimensions (DimensionBounds.h). Whether an Index is
  /// in range is not checked: the caller adds a proof obligation.
  std::optional<std::vector<Position>> positions(const ast::SubscriptExpr &expr, typed::ExprRef base, Scope &scope);

private:
  bool restPositions(std::vector<Position> &result, size_t count, const ast::SubscriptElement &element,
                     typed::ExprRef base, SourceRange baseRange, IndexScopes::RestState *rest);
  bool indexPosition(Position &position, const ast::SubscriptElement &element, const Dim &extent, SourceRange baseRange,
                     Scope &scope);
  std::optional<Position> slicePosition(const ast::SubscriptElement &element, const Dim &extent, SourceRange baseRange,
                                        Scope &scope);

  Reporter &reporter;
  Builder &build;
  DimensionBounds &bounds;
  IndexScopes &indexScopes;
  ExpressionChecker &expressions;
};

} // namespace attnc::check
