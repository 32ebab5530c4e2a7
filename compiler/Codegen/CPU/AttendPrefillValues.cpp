#include "compiler/Codegen/CPU/AttendPrefill.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;

namespace attnc {

//===-------------------------------------------- sums of values ----------------------------------------------===//

void AttendPrefill::accumulateValues(Value firstKey, Value count, ValueRange corrections) {
  auto tiles = [&](Value from, Value to, int64_t tileRows) {
    loops.loop(from, to, loops.constant(tileRows),
               [&](Value firstValue) { accumulateValueTile(firstKey, count, firstValue, tileRows, corrections); });
  };
  Value zero = loops.constant(0);
  if (problem.values.isConstant()) {
    // A short last tile would run at a fraction of the rate: the tiles are as equal as can be.
    int64_t number = problem.values.constant(), count = (number + schedule.tileRows - 1) / schedule.tileRows;
    if (number == 0)
      return;
    int64_t smaller = number / count, larger = number % count;
    Value boundary = loops.constant(larger * (smaller + 1));
    if (larger > 0)
      tiles(zero, boundary, smaller + 1);
    return tiles(boundary, loops.constant(number), smaller);
  }
  Value boundary = loops.mul(loops.div(values, loops.constant(schedule.tileRows)), schedule.tileRows);
  tiles(zero, boundary, schedule.tileRows);
  tiles(boundary, values, 1);
}

void AttendPrefill::accumulateValueTile(Value firstKey, Value count, Value firstValue, int64_t tileRows,
                                        ValueRange corrections) {
  attn::AttendOp op = problem.op;
  Value formula = AttendProblem::yielded(op.getValue());
  bool ofRows = IndexUses(op).of(formula) & problem.rowUses();
  SmallVector<Values> subscripts;
  Values carried;
  for (int64_t i = 0; i < tileRows; ++i) {
    Value value = loops.add(firstValue, i);
    subscripts.push_back(loops.delinearise(value, valueSizes));
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      Value before = loops.load(sumTile, {value, at(vector)});
      carried.push_back(corrections.empty() ? before : loops.mulf(before, corrections[vector]));
    }
  }
  auto valueAt = [&](const RegionVectoriser &of, ValueRange indices) {
    RegionVectoriser element = of;
    for (auto [argument, index] : llvm::zip(op.getValue().getArguments().take_back(indices.size()), indices))
      element.bindIndex(argument, index);
    return loops.splat(element.evaluate(formula));
  };
  carried = loops.loop(loops.constant(0), count, loops.constant(1), carried, [&](Value key, ValueRange before) {
    Values weights, next;
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      weights.push_back(loops.load(scoreTiles[0], {key, at(vector)}));
    RegionVectoriser ofKey = bindKey(batch, loops.add(firstKey, key));
    for (int64_t i = 0; i < tileRows; ++i) {
      Value shared = ofRows ? Value() : valueAt(ofKey, subscripts[i]);
      for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
        Value value = ofRows ? valueAt(bindPair(vector, firstKey, key), subscripts[i]) : shared;
        next.push_back(loops.fma(value, weights[vector], before[next.size()]));
      }
    }
    return next;
  });
  for (int64_t i = 0; i < tileRows; ++i)
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      loops.store(carried[i * schedule.vectors + vector], sumTile, {loops.add(firstValue, i), at(vector)});
}

//===-------------------------------------------- results -----------------------------------------------------===//

void AttendPrefill::invertSums() {
  Value zeroIndex = loops.constant(0), zero = loops.splat(0.0);
  for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
    Value sum = loops.load(sums, {zeroIndex, at(vector)});
    Value isEmpty = loops.compare(arith::CmpFPredicate::OEQ, sum, zero);
    Value inverse = loops.choose(isEmpty, zero, loops.divf(loops.splat(1.0), sum));
    loops.store(inverse, inverses, {zeroIndex, at(vector)});
  }
}

/// The outer indices of a vector of queries.
static SmallVector<LaneIndex> outerIndices(const AttendProblem &problem, RegionVectoriser &rowVector) {
  SmallVector<LaneIndex> indices;
  attn::AttendOp op = problem.op;
  for (BlockArgument argument : op.getScore().getArguments().take_front(op.getNumOuter()))
    indices.push_back(rowVector.evaluateIndex(argument));
  return indices;
}

void AttendPrefill::storeValues(bool normalised) {
  auto result = problem.resultOf(attn::Statistic::Value);
  if (!result)
    return;
  attn::AttendOp op = problem.op;
  Value zero = loops.constant(0);
  loops.loop(zero, values, loops.constant(1), [&](Value value) {
    Values valueIndices = loops.delinearise(value, valueSizes);
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      Value sum = loops.load(sumTile, {value, at(vector)});
      if (!normalised)
        sum = loops.mulf(sum, loops.load(inverses, {zero, at(vector)}));
      SmallVector<LaneIndex> indices = outerIndices(problem, rowVectors[vector]);
      for (Value index : valueIndices)
        indices.push_back(uniformIndex(index));
      if (auto layout = op.getValueLayout()) {
        SmallVector<LaneIndex> permuted;
        for (int64_t dimension : *layout)
          permuted.push_back(indices[dimension]);
        indices = permuted;
      }
      RegionVectoriser element = rowVectors[vector];
      element.store(sum, frame.result(*result), indices);
    }
  });
}

void AttendPrefill::storeLse() {
  auto result = problem.resultOf(attn::Statistic::Lse);
  if (!result)
    return;
  Value zeroIndex = loops.constant(0), zero = loops.splat(0.0);
  for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
    Value sum = loops.load(sums, {zeroIndex, at(vector)});
    Value isEmpty = loops.compare(arith::CmpFPredicate::OEQ, sum, zero);
    Value lse = math::Log2Op::create(loops.builder, loops.location, sum);
    if (problem.isSoftmax())
      lse = loops.addf(lse, loops.load(maxima, {zeroIndex, at(vector)}));
    lse = loops.mulf(lse, loops.splat(0.6931471805599453));
    lse = loops.choose(isEmpty, loops.splat(-std::numeric_limits<double>::infinity()), lse);
    RegionVectoriser element = rowVectors[vector];
    element.store(lse, frame.result(*result), outerIndices(problem, rowVectors[vector]));
  }
}

void AttendPrefill::storeWeightAt(int64_t vector, Value key, Value weight) {
  SmallVector<LaneIndex> indices = outerIndices(problem, rowVectors[vector]);
  for (Value subscript : loops.delinearise(key, keySizes))
    indices.push_back(uniformIndex(subscript));
  RegionVectoriser element = rowVectors[vector];
  element.store(weight, frame.result(*problem.resultOf(attn::Statistic::Weights)), indices);
}

/// Blocks in which nothing is kept are not visited: their weights are zeros.
void AttendPrefill::clearWeights() {
  if (!problem.resultOf(attn::Statistic::Weights) || !problem.hasMask())
    return;
  loops.loop(loops.constant(0), keys, loops.constant(1), [&](Value key) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      storeWeightAt(vector, key, loops.splat(0.0));
  });
}

void AttendPrefill::storeWeights(Value firstKey, Value count) {
  loops.loop(loops.constant(0), count, loops.constant(1), [&](Value key) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      storeWeightAt(vector, loops.add(firstKey, key), loops.load(scoreTiles[0], {key, at(vector)}));
  });
}

} // namespace attnc
