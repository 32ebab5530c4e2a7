#include "compiler/Codegen/CPU/AttendGradient/PairwiseGradient.h"
#include "compiler/Codegen/CPU/Attend/AttendExp.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <limits>

using namespace mlir;

namespace attnc {

PairwiseGradient::PairwiseGradient(PairwiseGradientProblem &problem, const Target &target, StringRef symbol,
                                   ModuleOp code)
    : GradientPhase(problem, target.f32Lanes, symbol, code), problem(problem), target(target) {}

void PairwiseGradient::emit() {
  openChunk(frame.chunk);
  SizeExpr held = attend.keys + SizeExpr(loops.lanes); // the last vector may reach past the last key
  weights = scratch.take(held, 1);
  flags = scratch.take(held, 1);
  cotangents = scratch.take(held, 1);
  clearResults();
  forEachBatch([&] { loops.loop(loops.constant(0), rows, loops.constant(1), [&](Value row) { computeRow(row); }); });
}

//===-------------------------------------------- a row -------------------------------------------------------===//

void PairwiseGradient::computeRow(Value row) {
  RegionVectoriser point = bindRow(row);
  AttendMask mask(attend);
  auto rowAt = [&](Value each) { return bindRow(each); };
  mask.prepareRows(loops, {row, loops.constant(1), rowAt, /*monotone=*/true});
  AttendMask::KeyRange range = mask.keyRange(loops, keys);
  keyBegin = range.begin;
  keyEnd = loops.min(range.end, keys);

  Value total =
      sumOverKeys(point, 1, [&](Pairs &pairs, ValueRange sums) { return Values{keepScores(pairs, sums[0])}; })[0];
  if (attend.isSoftmax()) {
    exponent = loops.mulf(cotangentAt(point, problem.savedLse, {}), loops.scalar(-log2e));
  } else {
    exponent = inverse(total);
  }
  // The sum of the weights is 1 but for rounding, which all of them share.
  Values sums = sumOverKeys(point, 2, [&](Pairs &pairs, ValueRange carried) {
    pairs.kept = loops.compare(arith::CmpFPredicate::UNE, load(flags, pairs), loops.splat(0.0));
    return keepCotangents(pairs, carried);
  });
  Value mean = loops.mulf(sums[0], inverse(sums[1]));
  if (problem.lseCotangent)
    mean = loops.subf(mean, cotangentAt(point, problem.lseCotangent, {}));
  if (problem.score.isEmpty())
    return;
  sumOverKeys(point, 0, [&](Pairs &pairs, ValueRange) {
    pairs.kept = loops.compare(arith::CmpFPredicate::UNE, load(flags, pairs), loops.splat(0.0));
    passScores(pairs, mean);
    return Values();
  });
}

/// 1 / x, or 0.
LoopBuilder::Value PairwiseGradient::inverse(Value x) {
  Value isZero = loops.compare(arith::CmpFPredicate::OEQ, x, loops.scalar(0.0));
  return loops.choose(isZero, loops.scalar(0.0), loops.divf(loops.scalar(1.0), x));
}

/// Visits the row's keys a vector at a time and gives the sums of what `add` adds up lane by lane.
LoopBuilder::Values PairwiseGradient::sumOverKeys(const RegionVectoriser &row, int64_t count, AddKeys add) {
  Values zeros(count, loops.splat(0.0));
  Values sums = loops.loop(keyBegin, keyEnd, loops.constant(loops.lanes), zeros, [&](Value key, ValueRange carried) {
    Pairs pairs = {row, key, {}};
    for (auto [dimension, index] : llvm::enumerate(steppingSubscripts(loops, key, keySizes)))
      bindKeyIndex(attend, pairs.at, dimension, index);
    pairs.at.setActiveLanes(loops.sub(keyEnd, key));
    return add(pairs, carried);
  });
  for (Value &sum : sums)
    sum = vector::ReductionOp::create(loops.builder, loops.location, vector::CombiningKind::ADD, sum,
                                      arith::FastMathFlags::reassoc);
  return sums;
}

/// An element of a tensor that begins with the outer indices.
LoopBuilder::Value PairwiseGradient::cotangentAt(RegionVectoriser &at, Value tensor, ArrayRef<LaneIndex> last) {
  SmallVector<LaneIndex> subscripts = outerIndices(attend, at);
  llvm::append_range(subscripts, last);
  if (problem.valueLayout && tensor == problem.valueCotangent)
    subscripts = permuted(subscripts, *problem.valueLayout);
  return at.load(tensor, subscripts);
}

//===-------------------------------------------- keys of a row -----------------------------------------------===//

LoopBuilder::Value PairwiseGradient::keepScores(Pairs &pairs, Value sum) {
  attn::AttendOp op = attend.op;
  Value score = pairs.at.broadcast(pairs.at.evaluate(AttendProblem::yielded(op.getScore())));
  pairs.kept = pairs.at.laneMask();
  if (attend.hasMask())
    pairs.kept = loops.both(pairs.kept, loops.splat(pairs.at.evaluate(AttendProblem::yielded(op.getMask()))));
  Value lowest = loops.splat(-std::numeric_limits<double>::infinity());
  pairs.kept = loops.both(pairs.kept, loops.compare(arith::CmpFPredicate::UNE, score, lowest));
  store(score, weights, pairs);
  store(keep(pairs, loops.splat(1.0)), flags, pairs);
  return loops.addf(sum, keep(pairs, score));
}

/// From s to p, from p to dp; adds p dp, and p.
LoopBuilder::Values PairwiseGradient::keepCotangents(Pairs &pairs, ValueRange sums) {
  attn::AttendOp op = attend.op;
  Value score = load(weights, pairs), ofRow = loops.splat(exponent);
  Value probability =
      keep(pairs, attend.isSoftmax() ? attendExp2(loops, loops.fma(score, loops.splat(log2e), ofRow), target)
                                     : loops.mulf(score, ofRow));
  store(probability, weights, pairs);
  Value weight = probability;
  if (attend.hasWeight()) {
    pairs.at.bindValue(op.getWeight().getArgument(0), probability);
    weight = keep(pairs, pairs.at.broadcast(pairs.at.evaluate(AttendProblem::yielded(op.getWeight()))));
  }
  Value cotangent = passValues(pairs, weight);
  if (problem.weightsCotangent) {
    SmallVector<LaneIndex> ofKeys = steppingSubscripts(loops, pairs.key, keySizes);
    cotangent = loops.addf(cotangent, pairs.at.broadcast(cotangentAt(pairs.at, problem.weightsCotangent, ofKeys)));
  }
  cotangent = keep(pairs, cotangent);
  if (attend.hasWeight()) {
    addScope(problem.weight, pairs.at, cotangent);
    Value partial = problem.weightPartial;
    cotangent =
        partial ? keep(pairs, loops.mulf(cotangent, pairs.at.broadcast(pairs.at.evaluate(partial)))) : loops.splat(0.0);
  }
  store(cotangent, cotangents, pairs);
  return {loops.fma(probability, cotangent, sums[0]), loops.addf(sums[1], probability)};
}

/// sum_v dY[v] value(v); adds the terms of the value.
LoopBuilder::Value PairwiseGradient::passValues(Pairs &pairs, Value weight) {
  attn::AttendOp op = attend.op;
  if (!problem.valueCotangent)
    return loops.splat(0.0);
  Values sizes;
  for (Value size : op.getValueSizes())
    sizes.push_back(frame.index(size));
  return loops.nest(sizes, {loops.splat(0.0)}, [&](ValueRange indices, ValueRange carried) {
    RegionVectoriser at = pairs.at;
    SmallVector<LaneIndex> features;
    for (auto [dimension, index] : llvm::enumerate(indices)) {
      features.push_back(uniformIndex(index));
      bindValueIndex(attend, at, dimension, features.back());
    }
    Value cotangent = at.broadcast(cotangentAt(at, problem.valueCotangent, features));
    Value value = keep(pairs, at.broadcast(at.evaluate(AttendProblem::yielded(op.getValue()))));
    addScope(problem.value, at, loops.mulf(weight, cotangent));
    return Values{loops.fma(cotangent, value, carried[0])};
  })[0];
}

void PairwiseGradient::passScores(Pairs &pairs, Value mean) {
  Value cotangent = loops.subf(load(cotangents, pairs), loops.splat(mean));
  Value factor = attend.isSoftmax() ? load(weights, pairs) : loops.splat(exponent);
  addScope(problem.score, pairs.at, keep(pairs, loops.mulf(cotangent, factor)));
}

/// Adds the terms of a formula whose cotangent is given; a pair whose cotangent is 0 gives none, whatever its
/// derivatives are.
void PairwiseGradient::addScope(const GradientScope &scope, RegionVectoriser &at, Value cotangent) {
  Value zero = loops.splat(0.0);
  auto times = [&](Value partial) {
    if (matchPattern(partial, m_OneFloat()))
      return cotangent;
    Value counts = loops.compare(arith::CmpFPredicate::UNE, cotangent, zero);
    return loops.choose(counts, loops.mulf(cotangent, at.broadcast(at.evaluate(partial))), zero);
  };
  for (const GradientScope::Leaf &leaf : scope.leaves)
    addGradient(leaf.result, leaf.extract, at, times(leaf.partial));
  for (const GradientScope::Sum &sum : scope.sums) {
    Value ofTerm = times(sum.partial);
    attn::ReduceOp op = sum.op;
    Values sizes;
    for (Value size : op.getSizes())
      sizes.push_back(frame.index(size));
    loops.nest(sizes, {}, [&](ValueRange indices, ValueRange) {
      RegionVectoriser inside = at;
      for (auto [argument, index] : llvm::zip(op.getBody().getArguments(), indices))
        inside.bindIndex(argument, index);
      addScope(*sum.term, inside, ofTerm);
      return Values();
    });
  }
}

} // namespace attnc
