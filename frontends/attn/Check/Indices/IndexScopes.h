//===- IndexScopes.h - indices of index notation and their extents ------------------------------------------------===//
//
// An index gets its extent from its bound, `j < n`, or from the first dimension that it subscripts by itself. `..`
// stands for indices that its first use as a subscript creates.
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

  /// Declares indices in `scope`; a null pointer stands for those of `..`, which are not known yet.
  bool open(const std::vector<ast::Binder> &binders, Scope &scope, std::vector<typed::Index *> &indices);
  /// Replaces the null pointer of `..` by its indices; reports indices without an extent.
  bool close(Scope &scope, std::vector<typed::Index *> &indices);
  /// Drops the `..` of a scope whose body has an error.
  void forget(Scope &scope) { rests.erase(&scope); }

  void giveExtent(typed::Index *index, const Dim &extent, SourceRange range);
  bool hasExtent(const typed::Index *index) { return extents[index].isKnown; }
  /// True for the indices that Elements creates as well: they have an extent from the start.
  bool isComplete(const typed::Index *index) const;
  /// The subscript or the bound that gave the extent.
  SourceRange boundBy(const typed::Index *index) { return extents[index].boundBy; }

  /// The `..` among the indices around an expression; null where there is none.
  RestState *restAround(Scope &scope);

  void enterBody() { ++bodies; }
  void leaveBody() { --bodies; }
  /// Is an expression inside the body of index notation?
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
  std::map<const Scope *, std::shared_ptr<RestState>> rests; ///< of scopes that bind `..` as an index
  unsigned bodies = 0;                                       ///< bodies of index notation around the expression
};

} // namespace attnc::check
