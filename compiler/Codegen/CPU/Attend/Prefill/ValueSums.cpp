#include "compiler/Codegen/CPU/Attend/Prefill/ValueSums.h"
#include "compiler/Analysis/DataSubscripts.h"

using namespace mlir;

namespace attnc {

ValueSums::ValueSums(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries,
                     PairOperands &pairs, const SelectedPairs &selected, const PrefillTiles &tiles)
    : PrefillContext(context), access(loops, schedule), batch(batch), queries(queries), pairs(pairs),
      selected(selected), sums(tiles.values), weights(tiles.scores[0]) {}

void ValueSums::clear() {
  if (!problem.hasValue())
    return;
  Value zero = loops.splat(0.0);
  loops.loop(loops.constant(0), batch.values, loops.constant(1), [&](Value value) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      access.store(zero, sums, vector, value);
  });
}

void ValueSums::check(const KeyBlock &block) {
  attn::AttendOp op = problem.op;
  if (!readsByData(op.getValue()))
    return;
  loops.loop(loops.constant(0), block.count, loops.constant(1), [&](Value key) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      RegionVectoriser pair = pairs.bindPair(vector, block, key);
      if (traits.dropsPairs)
        pair.restrictLanes(selected.loadOrAll(block, access.queryOf(vector), key));
      pair.checkSubscripts(op.getValue(), batch.valueSizes);
    }
  });
}

//===-------------------------------------------- sums of a block ---------------------------------------------===//

void ValueSums::accumulate(const KeyBlock &block, ValueRange corrections) {
  ValueTileOperands operands;
  operands.weights = weights;
  operands.sums = sums;
  operands.count = block.count;
  operands.values = problem.values.isConstant() ? loops.constant(problem.values.constant()) : batch.values;
  operands.liveEnds = queries.liveEnds(block);
  operands.corrections = llvm::to_vector(corrections);
  operands.allSelected = traits.dropsPairs ? block.allSelected : Value();
  if (auto extract = stridedValue())
    callValueTiles(loops, frame.code, schedule, operands, rowsOf(extract, block.firstKey), selected.tile,
                   block.firstMaterialised);
  else
    emitValueTiles(loops, schedule, operands, sourceOf(block));
}

/// The element that is summed, if the values of keys are rows at a constant distance; otherwise null.
tensor::ExtractOp ValueSums::stridedValue() const {
  attn::AttendOp op = problem.op;
  auto extract = AttendProblem::yielded(op.getValue()).getDefiningOp<tensor::ExtractOp>();
  bool isStrided = extract && op.getNumKeys() == 1 && !problem.classes && batch.valueSizes.size() == 1 &&
                   !(IndexUses(op).of(extract) & problem.rowUses()) &&
                   IndexUses::stepsWith(extract, op.getValue().getArguments().back()) &&
                   IndexUses::stepsAlong(extract, op.getValue().getArgument(op.getNumOuter()));
  return isStrided ? extract : tensor::ExtractOp();
}

StridedRows ValueSums::rowsOf(tensor::ExtractOp extract, Value firstKey) {
  auto subscriptsAt = [&](Value key) {
    RegionVectoriser point = batch.bindKey(key);
    bindValueIndices(point, {loops.constant(0)});
    return subscriptsOf(point, extract);
  };
  return stridedRows(loops, frame.buffer(extract.getTensor()), subscriptsAt(firstKey),
                     subscriptsAt(loops.add(firstKey, 1)));
}

/// Values by any formula.
ValueSource ValueSums::sourceOf(const KeyBlock &block) {
  attn::AttendOp op = problem.op;
  Value formula = AttendProblem::yielded(op.getValue());
  ValueSource source;
  source.dependsOnRows = IndexUses(op).of(formula) & problem.rowUses();
  source.ofKey = [this, &block, formula, dependsOnRows = source.dependsOnRows](Value key) {
    RegionVectoriser ofKey = batch.bindKey(loops.add(block.firstKey, key));
    return [this, &block, formula, dependsOnRows, key, ofKey](Value number, int64_t vector) {
      RegionVectoriser element = dependsOnRows ? pairs.bindPair(vector, block, key) : ofKey;
      bindValueIndices(element, loops.delinearise(number, batch.valueSizes));
      return loops.splat(element.evaluate(formula));
    };
  };
  source.flagsOf = [this, &block](Value key, int64_t vector) {
    return selected.load(block, access.queryOf(vector), key);
  };
  auto extract = formula.getDefiningOp<tensor::ExtractOp>();
  if (extract && !source.dependsOnRows && batch.valueSizes.size() == 1 &&
      IndexUses::stepsWith(extract, op.getValue().getArguments().back()))
    source.prefetchLine = [this, &block, extract](Value key, Value number, unsigned locality) mutable {
      RegionVectoriser later = batch.bindKey(loops.add(block.firstKey, key));
      bindValueIndices(later, {number});
      loops.prefetch(frame.buffer(extract.getTensor()), subscriptsOf(later, extract), locality);
    };
  return source;
}

void ValueSums::bindValueIndices(RegionVectoriser &to, ValueRange indices) {
  for (auto [dimension, index] : llvm::enumerate(indices))
    bindValueIndex(problem, to, dimension, uniformIndex(index));
}

//===-------------------------------------------- the result --------------------------------------------------===//

/// Whether the elements of a value vector are contiguous in the result.
bool ValueSums::areRuns() const {
  attn::AttendOp op = problem.op;
  auto layout = op.getValueLayout();
  return batch.valueSizes.size() == 1 && (!layout || layout->back() == op.getNumOuter() + op.getNumValues() - 1);
}

StridedRows ValueSums::rowsOfResult(const QueryResults &results) const {
  attn::AttendOp op = problem.op;
  if (!results.yields(attn::Statistic::Value) || !areRuns() || !queries.areStrided() || !problem.values.isConstant())
    return {};
  return results.rowsOf(attn::Statistic::Value, loops.constant(0), op.getValueLayout());
}

void ValueSums::store(QueryResults &results, Value factors) {
  if (!results.yields(attn::Statistic::Value))
    return;
  attn::AttendOp op = problem.op;
  auto layout = op.getValueLayout();
  Value zero = loops.constant(0);
  if (areRuns())
    return results.storeRuns(attn::Statistic::Value, sums, zero, batch.values, factors, layout);
  loops.loop(zero, batch.values, loops.constant(1), [&](Value value) {
    Values indices = loops.delinearise(value, batch.valueSizes);
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      Value sum = access.load(sums, vector, value);
      if (factors)
        sum = loops.mulf(sum, access.load(factors, vector));
      results.store(attn::Statistic::Value, vector, sum, indices, layout);
    }
  });
}

} // namespace attnc
