//===- IndexScopes.h - indices of index notation and their extents ------------------------------------------------===//
//
// The extent of an index is its bound n in `j < n`; without a bound, it is the size of the first dimension that the
// index subscripts by itself, as in x[j]. `..` among the indices, `[.., j] => x[.., j]`, stands for several indices.
// They are created at the first use of `..` as a subscript, one for each dimension that it subscripts there.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/DimensionBounds.h"
#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Names/Scopes.h"

namespace attnc::check {

/// Declares the indices of expressions and records their extents. For each expression that binds indices, a checker
/// calls `open`, then checks the body, then calls `close`, or `forget` after an error.
class IndexScopes {
public:
  /// The indices that a `..` among the binders stands for.
  struct RestState {
    bool isKnown = false; ///< true once `..` has been used as a subscript
    std::vector<typed::Index *> indices;
    SourceRange range; ///< the first use; before it, the binder
  };

  IndexScopes(Reporter &reporter, Builder &build, Scopes &scopes, DimensionBounds &bounds,
              ExpressionChecker &expressions)
      : reporter(reporter), build(build), scopes(scopes), bounds(bounds), expressions(expressions) {}

  /// Creates an index for each binder, binds its name in `scope`, the scope of the body, and appends it to `indices`;
  /// appends a null pointer for `..`, whose indices are not yet known. Bounds are checked in the parent of `scope`.
  /// False, with an error, if a binder is invalid.
  bool open(const std::vector<ast::Binder> &binders, Scope &scope, std::vector<typed::Index *> &indices);
  /// Ends the scope of a body without an error: replaces the null pointer in `indices` by the indices of `..`. False,
  /// with an error, if `..` has not been used, or if the extent of an index is not known.
  bool close(Scope &scope, std::vector<typed::Index *> &indices);
  /// Ends the scope of a body with an error: removes its `..`.
  void forget(Scope &scope) { rests.erase(&scope); }

  /// Sets the extent of an index; `range` is the subscript or bound in the source that determines it. Reports an extent
  /// that is too large (canHaveSize of Dim.h), but sets it nevertheless.
  void giveExtent(typed::Index *index, const Dim &extent, SourceRange range);
  /// True if giveExtent has set the extent.
  bool hasExtent(const typed::Index *index) const;
  /// Like hasExtent, but also true for an index of which this class has no record, such as one that Elements creates.
  bool isComplete(const typed::Index *index) const;
  /// Returns the source range that giveExtent recorded; an invalid range without an extent.
  SourceRange boundBy(const typed::Index *index) { return extents[index].boundBy; }

  /// Returns the innermost `..` among the indices that are bound around an expression with the scope `scope`, in the
  /// same function; null if there is none. The result is valid until `close` or `forget` of its scope.
  RestState *restAround(Scope &scope);

  /// Enclose the check of the body of index notation.
  void enterBody() { ++bodies; }
  void leaveBody() { --bodies; }
  /// True inside of the body of index notation.
  bool isInBody() const { return bodies > 0; }

private:
  struct Extent {
    bool isKnown = false;
    SourceRange boundBy;
  };

  Reporter &reporter;
  Builder &build;
  Scopes &scopes;
  DimensionBounds &bounds;
  ExpressionChecker &expressions;
  std::unordered_map<const typed::Index *, Extent> extents;
  std::map<const Scope *, std::shared_ptr<RestState>> rests; ///< by the scope that binds `..` as an index
  unsigned bodies = 0;                                       ///< number of index notation bodies around the expression
};

} // namespace attnc::check
