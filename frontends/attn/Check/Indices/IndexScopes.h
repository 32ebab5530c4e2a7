//===- IndexScopes.h - indices of index notation and their extents ------------------------------------------------===//
//
// The extent of an index is its bound, `j < n`, or the first dimension that it subscripts by itself. `..` among the
// indices stands for indices that are created at the first use of `..` as a subscript, one for each dimension that it
// subscripts there.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Names/Scopes.h"

namespace attnc::check {

/// Declares the indices of expressions and records their extents. The scope of an expression's indices is open while
/// its body is checked: open, then close, or forget after an error.
class IndexScopes {
public:
  /// The indices of a `..`.
  struct RestState {
    bool isKnown = false; ///< it has been used as a subscript
    std::vector<typed::Index *> indices;
    SourceRange range; ///< the first use; before it, the declaration
  };

  IndexScopes(Reporter &reporter, Builder &build, Scopes &scopes, ExpressionChecker &expressions)
      : reporter(reporter), build(build), scopes(scopes), expressions(expressions) {}

  /// Creates the indices, binds their names in `scope` and appends them to `indices`, with a null pointer for `..`,
  /// whose indices are not yet known. Checks bounds in the parent of `scope`. False, with an error, if a binder is
  /// invalid.
  bool open(const std::vector<ast::Binder> &binders, Scope &scope, std::vector<typed::Index *> &indices);
  /// Replaces the null pointer by the indices of `..`. False, with an error, if `..` or an extent is not known.
  bool close(Scope &scope, std::vector<typed::Index *> &indices);
  /// Removes the `..` of a scope whose body has an error.
  void forget(Scope &scope) { rests.erase(&scope); }

  /// Sets the extent of an index; `range` is the subscript or bound that determines it. Reports an extent that is too
  /// large.
  void giveExtent(typed::Index *index, const Dim &extent, SourceRange range);
  /// True if giveExtent has set the extent.
  bool hasExtent(const typed::Index *index) const;
  /// Like hasExtent, but also true for an index of which this class has no record, such as one that Elements creates.
  bool isComplete(const typed::Index *index) const;
  /// Returns the subscript or bound that determined the extent.
  SourceRange boundBy(const typed::Index *index) { return extents[index].boundBy; }

  /// Returns the innermost `..` among the indices around an expression of the same function; null if there is none.
  RestState *restAround(Scope &scope);

  /// Enclose the check of a body.
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
  ExpressionChecker &expressions;
  std::unordered_map<const typed::Index *, Extent> extents;
  std::map<const Scope *, std::shared_ptr<RestState>> rests; ///< by the scope that binds `..` as an index
  unsigned bodies = 0;                                       ///< number of index notation bodies around the expression
};

} // namespace attnc::check
