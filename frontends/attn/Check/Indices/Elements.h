//===- Elements.h - index notation, element by element ------------------------------------------------------------===//
//
// A body may speak of rows: `dot(q[b, h, i], k[b, h, j])`, `tanh(ws[t] + uh[i])`, `s[t] @ w`. Elements rewrites what is
// closed now, so that every expression inside a body is a scalar:
//
//   [b, h, i, j] => dot(q[b, h, i], k[b, h, j])    becomes    [b, h, i, j] => sum d => q[b, h, i, d] * k[b, h, j, d]
//
// The element of a row operator at index d is the operator on elements at d; that of a matrix product is a sum; that of
// a comprehension is its body with the indices replaced. Reductions nested in a larger body become tensors of their own
// over the indices they speak of, bound before the statement; in attend, only those that do not mix queries with keys.
// So do the costly functions (exp, log, ...) that speak of queries alone or of keys alone.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"
#include "frontends/attn/Check/Ranges.h"

namespace attnc::check {

class Elements {
public:
  Elements(Builder &build, const Ranges &ranges) : build(build), ranges(ranges) {}

  /// [indices] => body as a tensor expression; the whole must be closed.
  typed::ExprRef close(std::vector<typed::Index *> indices, typed::ExprRef body, SourceRange range);

private:
  using Indices = std::vector<typed::ExprRef>;
  /// What indices of comprehensions that were opened stand for.
  using Environment = std::map<unsigned, typed::ExprRef>;

  typed::ExprRef element(typed::ExprRef row, const Indices &at, const Environment &environment);
  typed::ExprRef elementOf(typed::ExprRef row, const Indices &at, const Environment &environment);
  typed::ExprRef ofElementwise(typed::ExprRef row, const Indices &at, const Environment &environment);
  typed::ExprRef ofMatMul(typed::ExprRef row, const Indices &at, const Environment &environment);
  typed::ExprRef ofAxisReduction(typed::ExprRef row, const Indices &at, const Environment &environment);
  typed::ExprRef ofReshape(typed::ExprRef row, const Indices &at, const Environment &environment);
  typed::ExprRef ofConcat(typed::ExprRef row, const Indices &at, const Environment &environment);
  typed::ExprRef ofSubscript(typed::ExprRef row, const Indices &at, const Environment &environment);
  typed::ExprRef ofReduction(typed::ExprRef row, const Indices &at, const Environment &environment);
  typed::ExprRef ofLocal(typed::ExprRef row, const Indices &at, const Environment &environment);
  typed::ExprRef ofClosed(typed::ExprRef row, const Indices &at);
  typed::ExprRef keptInRange(typed::ExprRef index, const Dim &extent, const Verdict &verdict);
  typed::ExprRef read(typed::ExprRef base, const Indices &at, std::vector<typed::InRange> inRange, SourceRange range);
  std::vector<typed::Index *> indicesFor(const Shape &shape, size_t from, SourceRange range);
  Indices references(const std::vector<typed::Index *> &indices, SourceRange range);

  void closeAttend(PendingAttend &pending, const std::vector<typed::Index *> &outer);

  /// Rebuilds an element expression with nested work hoisted out; `keys` is empty outside attend.
  struct Hoisting {
    std::set<unsigned> outer, keys;
    bool isAttend = false;
    bool isMasked = false; ///< it is of pairs that a mask keeps alone
    std::map<typed::ExprRef, typed::ExprRef> done;
  };
  typed::ExprRef hoist(typed::ExprRef expr, Hoisting &hoisting, bool isRoot);
  bool isWorthHoisting(typed::ExprRef expr, const Hoisting &hoisting, bool isRoot) const;
  typed::ExprRef materialise(typed::ExprRef expr);
  typed::ExprRef rebuild(typed::ExprRef expr, const std::function<typed::ExprRef(typed::ExprRef)> &map);

  Builder &build;
  const Ranges &ranges;
  using Key = std::tuple<typed::ExprRef, Indices, std::vector<std::pair<unsigned, typed::ExprRef>>>;
  std::map<Key, typed::ExprRef> known;
  /// A yield of an attend that has been bound: the indices around the attend, and those of them that the yield has.
  struct BoundYield {
    const typed::Local *local;
    std::vector<typed::Index *> around, outer;
  };
  std::map<const typed::Local *, BoundYield> bound;
};

} // namespace attnc::check
