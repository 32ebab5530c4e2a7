// Sums of values, and the results of a row: a thread has some values of all rows of its warp.
#include "compiler/Codegen/GPU/Attend/AttendGeneral.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

/// Keys whose values one turn of the innermost loop adds.
static constexpr int64_t keysAtOnce = 4;

//===------------------------------------------ sums of values ----------------------------------------------------===//

/// Lets all threads of the warp see the weights of a block.
void AttendGeneral::shareWeights(const KeyBlock &block, const Values &weights) {
  OpBuilder &builder = loops.builder;
  Type i32 = builder.getI32Type();
  if (!problem.normaliser->followsKeys())
    group.wait(); // for those who read the block before
  Values scalars, bits;
  for (auto [row, weight] : llvm::enumerate(weights)) {
    scalars.push_back(scalarOf(weight));
    Value bit = arith::ExtUIOp::create(builder, loops.location, i32, block.kept[row]);
    Value by = arith::ConstantIntOp::create(builder, loops.location, row, 32);
    bits.push_back(builder.createOrFold<arith::ShLIOp>(loops.location, bit, by));
    if (row > 0)
      bits[0] = arith::OrIOp::create(builder, loops.location, bits[0], bits[row]);
  }
  auto type = VectorType::get({shape.rows}, builder.getF32Type());
  Value ofRows = vector::FromElementsOp::create(builder, loops.location, type, scalars);
  Value own = loops.add(firstOfTile, group.rank);
  weightTile.store(ofRows, loops.mul(own, shape.rows));
  keptTile.store(bits[0], own);
  group.wait();
}

void AttendGeneral::addValues(const KeyBlock &block, RowStates &states, Value firstValue) {
  LoopBuilder wide(loops.builder, loops.location, shape.width);
  Value count = loops.min(loops.constant(warpThreads), loops.sub(block.end, block.firstKey));
  auto sum = [&](bool keptAlone) {
    return loops.loop(loops.constant(0), count, loops.constant(keysAtOnce), states.values,
                      [&](Value first, ValueRange before) {
                        Values next(before);
                        for (int64_t i = 0; i < keysAtOnce; ++i)
                          next = addKey(block, loops.add(first, i), next, firstValue, keptAlone);
                        return next;
                      });
  };
  auto add = [&] {
    Values added = sum(/*keptAlone=*/false);
    // A weight of zero does not hide an infinite value or a NaN of a dropped pair; they are rare, so they show first.
    SmallVector<Type> types = llvm::to_vector(ValueRange(added).getTypes());
    return loops.select(
        wide.hasNan(added), types, [&] { return sum(/*keptAlone=*/true); }, [&] { return added; });
  };
  bool mayBeEmpty = !problem.values.isConstant() || problem.values.constant() == 0;
  Value exist = mayBeEmpty ? loops.less(loops.constant(0), rows.values) : loops.boolean(true);
  SmallVector<Type> types = llvm::to_vector(ValueRange(states.values).getTypes());
  states.values = loops.select(exist, types, add, [&] { return states.values; });
}

/// The number of the first value of an access of the thread; it may be past the end.
Value AttendGeneral::valueNumber(Value firstValue, int64_t access) {
  Value own = loops.mul(loops.add(group.rank, access * warpThreads), shape.width);
  return loops.add(firstValue, own);
}

void AttendGeneral::bindValue(RegionVectoriser &to, Value number) {
  if (rows.valueSizes.size() == 1)
    return bindValueIndex(problem, to, 0, shape.width == 1 ? uniformIndex(number) : steppingIndex(number));
  for (auto [dimension, index] : llvm::enumerate(loops.delinearise(number, rows.valueSizes)))
    bindValueIndex(problem, to, dimension, uniformIndex(index));
}

/// Adds one key of a block to the sums, or of its pairs those alone that are kept. Past the last key that one is read
/// again: its weights are zeros.
LoopBuilder::Values AttendGeneral::addKey(const KeyBlock &block, Value key, ValueRange before, Value firstValue,
                                          bool keptAlone) {
  OpBuilder &builder = loops.builder;
  LoopBuilder wide(builder, loops.location, shape.width);
  Value formula = AttendProblem::yielded(op().getValue()), place = loops.add(firstOfTile, key);
  bool ofRows = IndexUses(op()).of(formula) & problem.rowUses();
  Value weights = weightTile.load(VectorType::get({shape.rows}, builder.getF32Type()), loops.mul(place, shape.rows));
  Value bits = keptAlone ? keptTile.load(builder.getI32Type(), place) : Value();
  Value number = loops.min(loops.add(block.firstKey, key), loops.add(block.end, -1));
  Value last = loops.sub(rows.values, loops.constant(shape.width));
  Values added(before.size());
  for (int64_t access = 0; access < shape.accesses; ++access) {
    Value of;
    for (int64_t row = 0; row < shape.rows; ++row) {
      if (ofRows || row == 0) {
        RegionVectoriser element = rows.bindKey(pointOf(shape.width, row), number);
        bindValue(element, loops.min(valueNumber(firstValue, access), last));
        of = element.broadcast(element.evaluate(formula));
      }
      int64_t place = row * shape.accesses + access;
      Value weight = vector::ExtractOp::create(builder, loops.location, weights, row);
      added[place] = wide.fma(wide.splat(weight), of, before[place]);
      if (!keptAlone)
        continue;
      Value bit = arith::ConstantIntOp::create(builder, loops.location, int64_t(1) << row, 32);
      Value keeps = loops.isSet(arith::AndIOp::create(builder, loops.location, bits, bit));
      added[place] = loops.choose(keeps, added[place], before[place]);
    }
  }
  return added;
}

//===------------------------------------------ results -----------------------------------------------------------===//

void AttendGeneral::forEachRow(function_ref<void(int64_t)> body) {
  for (int64_t row = 0; row < shape.rows; ++row)
    loops.when(rowExists[row], [&] { body(row); });
}

void AttendGeneral::storeValues(const RowStates &states, const Values &factors, Value firstValue) {
  if (!problem.hasValue())
    return;
  LoopBuilder wide(loops.builder, loops.location, shape.width);
  bool isWhole = problem.values.isConstant() && problem.values.constant() % shape.valuesOfPart() == 0;
  forEachRow([&](int64_t row) {
    for (int64_t access = 0; access < shape.accesses; ++access) {
      Value number = valueNumber(firstValue, access), value = states.values[row * shape.accesses + access];
      if (!factors.empty())
        value = wide.mulf(value, wide.splat(scalarOf(factors[row])));
      loops.when(isWhole ? loops.boolean(true) : loops.less(number, rows.values), [&] {
        RegionVectoriser element = pointOf(shape.width, row);
        bindValue(element, number);
        SmallVector<LaneIndex> indices = outerIndices(problem, element);
        for (BlockArgument index : op().getValue().getArguments().take_back(rows.valueSizes.size()))
          indices.push_back(element.evaluateIndex(index));
        if (auto layout = op().getValueLayout())
          indices = permuted(indices, *layout);
        element.store(value, frame.result(*problem.resultOf(attn::Statistic::Value)), indices);
      });
    }
  });
}

/// The rows' parts of a split: values not normalised, and with the first of them what they are normalised by.
void AttendGeneral::storeParts(const RowStates &states, PartMemory &memory, Value split, Value firstValue) {
  Values sums = llvm::map_to_vector(states.sums, [&](Value share) { return scalarOf(sumOfThreads(share)); });
  forEachRow([&](int64_t row) {
    Value part = memory.number(rows.batch, loops.add(firstRow, row), split);
    for (int64_t access = 0; access < shape.accesses; ++access) {
      Value number = valueNumber(firstValue, access), value = states.values[row * shape.accesses + access];
      loops.when(loops.less(number, rows.values),
                 [&] { memory.store(part, number, shape.width == 1 ? scalarOf(value) : value); });
    }
    group.first([&] { memory.storeHead(part, {scalarOf(states.largest[row]), sums[row]}); });
  });
}

/// One element of a row's result, which has the subscripts `last` behind the row's.
void AttendGeneral::storeOfRow(int64_t row, Value value, attn::Statistic statistic, ValueRange last) {
  auto result = problem.resultOf(statistic);
  if (!result)
    return;
  RegionVectoriser element = rowPoints[row];
  SmallVector<LaneIndex> indices = outerIndices(problem, element);
  for (Value index : last)
    indices.push_back(uniformIndex(index));
  element.store(scalarOf(value), frame.result(*result), indices);
}

void AttendGeneral::storeWeights(const KeyBlock &block, const Values &weights) {
  if (!problem.yields(attn::Statistic::Weights))
    return;
  loops.when(loops.less(loops.add(block.firstKey, group.rank), block.end), [&] {
    forEachRow([&](int64_t row) {
      storeOfRow(row, weights[row], attn::Statistic::Weights, loops.delinearise(block.key, rows.keySizes));
    });
  });
}

/// Blocks in which nothing is kept are not visited: their weights are zeros.
void AttendGeneral::clearWeights() {
  if (!problem.yields(attn::Statistic::Weights) || !problem.hasMask())
    return;
  loops.loop(group.rank, rows.keys, loops.constant(warpThreads), [&](Value key) {
    forEachRow([&](int64_t row) {
      storeOfRow(row, loops.scalar(0), attn::Statistic::Weights, loops.delinearise(key, rows.keySizes));
    });
  });
  group.wait();
}

void AttendGeneral::storeStatistics(const RowStates &states, const RowTotals &totals) {
  Values entropies;
  for (int64_t row = 0; row < shape.rows && !states.logs.empty(); ++row) {
    Normaliser::Carriers carriers = {states.largest[row], totals.sums[row]};
    entropies.push_back(problem.normaliser->entropy(code(), carriers, sumOfThreads(states.logs[row]), sinkOf(row)));
  }
  group.first([&] {
    forEachRow([&](int64_t row) {
      if (problem.yields(attn::Statistic::Lse))
        storeOfRow(row, problem.normaliser->lse(code(), {states.largest[row], totals.sums[row]}), attn::Statistic::Lse);
      if (!entropies.empty())
        storeOfRow(row, entropies[row], attn::Statistic::Entropy);
    });
  });
  storeTop(states, totals);
}

} // namespace attnc
