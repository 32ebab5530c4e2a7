//===- Elements.h - scalarisation of index notation ---------------------------------------------------------------===//
//
// A body may contain rows: `dot(q[b, h, i], k[b, h, j])`, `tanh(ws[t] + uh[i])`, `s[t] @ w`. Elements rewrites a closed
// body so that every expression in it is a scalar:
//
//   [b, h, i, j] => dot(q[b, h, i], k[b, h, j])    becomes    [b, h, i, j] => sum d => q[b, h, i, d] * k[b, h, j, d]
//
// The element of a row operator at index d is the operator on elements at d; the element of a matrix product is a sum;
// the element of a comprehension is its body with the indices replaced. Reductions nested in a larger body are hoisted:
// they become tensors over the indices they depend on, bound before the statement. In attend, only reductions and
// costly functions (exp, log, ...) that depend on queries alone or on keys alone are hoisted.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/LetBuilder.h"
#include "frontends/attn/Check/PendingAttends.h"
#include "frontends/attn/Check/Ranges.h"

namespace attnc::check {

class Elements {
public:
  Elements(Builder &build, LetBuilder &lets, const PendingAttends &pendings, const Ranges &ranges)
      : build(build), lets(lets), pendings(pendings), ranges(ranges) {}

  /// Returns [indices] => body as a tensor expression, which must be closed.
  typed::ExprRef close(std::vector<typed::Index *> indices, typed::ExprRef body, SourceRange range);

private:
  using Indices = std::vector<typed::ExprRef>;
  /// The expressions that replace the indices of inlined comprehensions.
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

  void closeAttend(const PendingAttend &pending, const std::vector<typed::Index *> &outer);

  /// Options and results of hoisting in one body; `keys` is empty outside of attend.
  struct Hoisting {
    std::set<unsigned> outer, keys;
    bool isAttend = false;
    bool isMasked = false; ///< the body is evaluated for unmasked pairs alone
    std::map<typed::ExprRef, typed::ExprRef> done;
  };
  typed::ExprRef hoist(typed::ExprRef expr, Hoisting &hoisting, bool isRoot);
  bool isWorthHoisting(typed::ExprRef expr, const Hoisting &hoisting, bool isRoot) const;
  typed::ExprRef materialise(typed::ExprRef expr);
  typed::ExprRef rebuild(typed::ExprRef expr, const std::function<typed::ExprRef(typed::ExprRef)> &map);

  Builder &build;
  LetBuilder &lets;
  const PendingAttends &pendings;
  const Ranges &ranges;
  using Key = std::tuple<typed::ExprRef, Indices, std::vector<std::pair<unsigned, typed::ExprRef>>>;
  std::map<Key, typed::ExprRef> known;
  /// A bound yield of an attend: the indices around the attend, and the ones that the yield has.
  struct BoundYield {
    const typed::Local *local;
    std::vector<typed::Index *> around, outer;
  };
  std::map<const typed::Local *, BoundYield> bound;
};

} // namespace attnc::check
