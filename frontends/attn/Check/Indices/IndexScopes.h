//===- IndexScopes.h - indices of index notation and their extents ------------------------------------------------===//
//
// The extent of an index is its bound, `j < n`, or the first dimension that it subscripts by itself. `..` stands for
// indices that are created at its first use as a subscript.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/Names/Scopes.h"

namespace attnc::check {

class IndexScopes {
public:
  /// The indices of a `..`.
  struct RestState {
    bool isKnown = false;
    std::vector<typed::Index *> indices;
    SourceRange range;
  };

  IndexScopes(Reporter &reporter, Builder &build, Scopes &scopes, ExpressionChecker &expressions)
      : reporter(reporter), build(build), scopes(scopes), expressions(expressions) {}

  /// Declares indices in `scope`; a null pointer stands for the indices of `..`, which are not yet known.
  bool open(const std::vector<ast::Binder> &binders, Scope &scope, std::vector<typed::Index *> &indices);
  /// Replaces the null pointer by the indices of `..`; reports indices without an extent.
  bool close(Scope &scope, std::vector<typed::Index *> &indices);
  /// Removes the `..` of a scope whose body has an error.
  void forget(Scope &scope) { rests.erase(&scope); }

  void giveExtent(typed::Index *index, const Dim &extent, SourceRange range);
  bool hasExtent(const typed::Index *index) { return extents[index].isKnown; }
  /// True if the extent is known, as for indices that Elements creates.
  bool isComplete(const typed::Index *index) const;
  /// The subscript or bound that determined the extent.
  SourceRange boundBy(const typed::Index *index) { return extents[index].boundBy; }

  /// Returns the `..` among the indices around an expression; null if there is none.
  RestState *restAround(Scope &scope);

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
