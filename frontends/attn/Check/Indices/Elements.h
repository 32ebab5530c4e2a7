//===- Elements.h - scalarisation of index notation ---------------------------------------------------------------===//
//
// The body of index notation may contain rows, open expressions with dimensions: `dot(q[b, h, i], k[b, h, j])`,
// `tanh(ws[t] + uh[i])`, `s[t] @ w`. Elements rewrites a closed expression so that every expression in its body is a
// scalar:
//
//   [b, h, i, j] => dot(q[b, h, i], k[b, h, j])    becomes    [b, h, i, j] => sum d => q[b, h, i, d] * k[b, h, j, d]
//
// The element of a row operator at index d is the operator on elements at d; the element of a matrix product is a sum;
// the element of a comprehension is its body with the indices replaced.
//
// Work that would be repeated for each index is hoisted: it becomes a tensor over the indices that it depends on, bound
// before the statement, and the body reads elements of the tensor. In a comprehension or reduction, each reduction that
// is nested in a larger body is hoisted, and each formula whose rows a matrix product multiplies more than once. In an
// attend, reductions and costly functions (exp, log, ...) are hoisted if they depend on outer indices alone or on keys
// alone, and not on the `w` of the weight. An expression that may fail a run-time check is not hoisted out of a formula
// that is evaluated for unmasked pairs alone. attn.attend has no argmax. Therefore an argmax in an attend is hoisted,
// if necessary to a tensor over all query–key pairs, or is an error.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/LetBuilder.h"
#include "frontends/attn/Check/PendingAttends.h"
#include "frontends/attn/Check/RangeProofs.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// The rewriting of closed expressions. Bodies uses it. Subscripts with the verdict Clamped of RangeProofs are clamped
/// to the bounds of the dimension; those with Runtime are marked as InRange::Runtime.
class Elements {
public:
  Elements(Reporter &reporter, Builder &build, LetBuilder &lets, const PendingAttends &pendings,
           const RangeProofs &ranges)
      : reporter(reporter), build(build), lets(lets), pendings(pendings), ranges(ranges) {}

  /// Returns a closed expression, which may contain rows, as a tensor expression that satisfies Typed.h. `body` is the
  /// whole expression: a Comprehension, an IndexReduction, a Subscript, or a yield of a pending attend. All its
  /// obligations have been decided. The result is a Comprehension of scalars, over no indices if `body` is a scalar;
  /// or, if `body` is a yield of an attend or a comprehension of one, a LocalRef. Elements of element type Index become
  /// i32. Adds Lets of hoisted tensors and of attends to the current block. Reports an argmax in an attend that can't
  /// be hoisted.
  typed::ExprRef close(typed::ExprRef body, SourceRange range);

private:
  using Indices = std::vector<typed::ExprRef>;
  /// The expressions that replace the indices of inlined comprehensions.
  using Environment = std::map<unsigned, typed::ExprRef>;

  /// Returns the element of `row` at the indices `at`, one for each dimension. It is a scalar in the indices around.
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
  /// Returns an index clamped to the bounds of a dimension where the verdict is Clamped.
  typed::ExprRef keptInRange(typed::ExprRef index, const Dim &extent, const Verdict &verdict);
  typed::ExprRef read(typed::ExprRef base, const Indices &at, std::vector<typed::InRange> inRange, SourceRange range);
  std::vector<typed::Index *> indicesFor(const Shape &shape, size_t from, SourceRange range);
  Indices references(const std::vector<typed::Index *> &indices, SourceRange range);

  void closeAttend(const PendingAttend &pending, const std::vector<typed::Index *> &outer);

  /// Options and results of hoisting in one body, or in all formulas of one attend. `outer` and `keys` are the numbers
  /// of the attend's indices, empty outside of attend.
  struct Hoisting {
    std::set<unsigned> outer, keys;
    bool isAttend = false;
    bool isMasked = false;                         ///< the body is evaluated for unmasked pairs alone
    std::map<typed::ExprRef, typed::ExprRef> done; ///< results by expression
  };
  /// Returns an element expression with reads of hoisted tensors in place of the subexpressions worth hoisting.
  /// `isRoot`: it is the whole body.
  typed::ExprRef hoist(typed::ExprRef expr, Hoisting &hoisting, bool isRoot);
  bool isWorthHoisting(typed::ExprRef expr, const Hoisting &hoisting, bool isRoot) const;
  /// Reports an argmax or argmin in an attend that is not hoisted.
  void refuseArgMax(typed::ExprRef expr);
  /// Binds an element expression as a tensor over its indices, and returns a read of its element.
  typed::ExprRef materialise(typed::ExprRef expr);
  /// Returns the expression with each operand replaced by its `map`.
  typed::ExprRef rebuild(typed::ExprRef expr, const std::function<typed::ExprRef(typed::ExprRef)> &map);

  Reporter &reporter;
  Builder &build;
  LetBuilder &lets;
  const PendingAttends &pendings;
  const RangeProofs &ranges;
  /// Arguments of `element`; the environment without indices on which the row does not depend.
  using Key = std::tuple<typed::ExprRef, Indices, std::vector<std::pair<unsigned, typed::ExprRef>>>;
  std::map<Key, typed::ExprRef> known; ///< results of `element` in the body that is being closed
  std::set<unsigned> rowIndices;       ///< numbers of the indices that stand for the dimensions of that body's rows
  std::set<typed::ExprRef> factors;    ///< formulas in that body that matrix products multiply more than once
  /// A bound yield of an attend: the indices around the attend, and the ones that the yield has.
  struct BoundYield {
    const typed::Local *local;
    std::vector<typed::Index *> around, outer;
  };
  std::map<const typed::Local *, BoundYield> bound;
};

} // namespace attnc::check
