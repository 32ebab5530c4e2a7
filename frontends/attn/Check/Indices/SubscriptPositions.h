//===- SubscriptPositions.h - subscripts of a tensor by dimension -------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Indices/IndexScopes.h"
#include "frontends/attn/Check/Ranges.h"

namespace attnc::check {

/// The subscript of one dimension.
struct Position {
  enum class Kind { Index, Range, Whole } kind = Kind::Whole;
  typed::ExprRef index = nullptr; ///< Index: an Index scalar, or a tensor of i32
  Dim lower, upper;               ///< Range
  SourceRange range;
};

class SubscriptPositions {
public:
  SubscriptPositions(Reporter &reporter, Builder &build, Ranges &ranges, IndexScopes &indexScopes,
                     ExpressionChecker &expressions)
      : reporter(reporter), build(build), ranges(ranges), indexScopes(indexScopes), expressions(expressions) {}

  /// Returns the subscripts of `base` in `expr`; `..` and dimensions without a subscript are filled in. Null if
  /// invalid.
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
  Ranges &ranges;
  IndexScopes &indexScopes;
  ExpressionChecker &expressions;
};

} // namespace attnc::check
