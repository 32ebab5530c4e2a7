#include "compiler/Codegen/GPU/Attend/General/WarpValues.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

/// Keys in one iteration of the innermost loop.
static constexpr int64_t keysAtOnce = 4;

WarpValues::RowStates WarpValues::clear(RowStates states) const {
  LoopBuilder wide = wideLoops();
  if (problem.hasValue())
    states.values.assign(shape.rows * shape.accesses, wide.splat(0.0));
  return states;
}

/// Writes the attention weights of a block to shared memory for all threads of the warp.
void WarpValues::shareWeights(const KeyBlock &block, const Values &weights) const {
  OpBuilder &builder = loops.builder;
  Type i32 = builder.getI32Type();
  if (!problem.normaliser->followsKeys())
    group.sync(); // other threads may still read the previous block
  Values scalars, bits;
  for (auto [row, weight] : llvm::enumerate(weights)) {
    scalars.push_back(scalarOf(weight));
    Value bit = arith::ExtUIOp::create(builder, loops.location, i32, block.unmasked[row]);
    Value by = arith::ConstantIntOp::create(builder, loops.location, row, 32);
    bits.push_back(builder.createOrFold<arith::ShLIOp>(loops.location, bit, by));
    if (row > 0)
      bits[0] = arith::OrIOp::create(builder, loops.location, bits[0], bits[row]);
  }
  auto type = VectorType::get({shape.rows}, builder.getF32Type());
  Value rowWeights = vector::FromElementsOp::create(builder, loops.location, type, scalars);
  Value own = loops.add(warp.tileStart, group.rank);
  weightTile.store(rowWeights, loops.mul(own, shape.rows));
  maskTile.store(bits[0], own);
  group.sync();
}

void WarpValues::accumulate(const KeyBlock &block, const Values &weights, RowStates &states, Value firstValue) const {
  shareWeights(block, weights);
  LoopBuilder wide = wideLoops();
  Value count = loops.min(loops.constant(warpThreads), loops.sub(block.end, block.firstKey));
  auto sum = [&](bool unmaskedOnly) {
    return loops.loop(loops.constant(0), count, loops.constant(keysAtOnce), states.values,
                      [&](Value first, ValueRange before) {
                        Values next(before);
                        for (int64_t i = 0; i < keysAtOnce; ++i)
                          next = addKey(block, loops.add(first, i), next, firstValue, unmaskedOnly);
                        return next;
                      });
  };
  auto add = [&] {
    Values added = sum(/*unmaskedOnly=*/false);
    // An attention weight of zero times an infinite or NaN value of a dropped pair is NaN. That is rare, so the fast
    // path runs first, and a NaN in its sums selects the path that skips dropped pairs.
    SmallVector<Type> types = llvm::to_vector(ValueRange(added).getTypes());
    return loops.select(
        wide.hasNan(added), types, [&] { return sum(/*unmaskedOnly=*/true); }, [&] { return added; });
  };
  bool mayBeEmpty = !problem.values.isConstant() || problem.values.constant() == 0;
  Value exist = mayBeEmpty ? loops.less(loops.constant(0), rows.values) : loops.boolean(true);
  SmallVector<Type> types = llvm::to_vector(ValueRange(states.values).getTypes());
  states.values = loops.select(exist, types, add, [&] { return states.values; });
}

/// Number of the first value of an access of the thread; may be past the end.
Value WarpValues::valueNumber(Value firstValue, int64_t access) const {
  Value own = loops.mul(loops.add(group.rank, access * warpThreads), shape.width);
  return loops.add(firstValue, own);
}

void WarpValues::bindValue(RegionVectoriser &to, Value number) const {
  if (rows.valueSizes.size() == 1)
    return bindValueIndex(problem, to, 0, shape.width == 1 ? uniformIndex(number) : steppingIndex(number));
  for (auto [dimension, index] : llvm::enumerate(loops.delinearise(number, rows.valueSizes)))
    bindValueIndex(problem, to, dimension, uniformIndex(index));
}

/// Adds one key of a block to the sums; with `unmaskedOnly`, for unmasked pairs only. Past the end it reads the last
/// key, with zero weights.
LoopBuilder::Values WarpValues::addKey(const KeyBlock &block, Value key, ValueRange before, Value firstValue,
                                       bool unmaskedOnly) const {
  OpBuilder &builder = loops.builder;
  LoopBuilder wide = wideLoops();
  Value formula = AttendProblem::yielded(op().getValue()), position = loops.add(warp.tileStart, key);
  bool dependsOnRow = IndexUses(op()).of(formula) & problem.rowUses();
  Value weights = weightTile.load(VectorType::get({shape.rows}, builder.getF32Type()), loops.mul(position, shape.rows));
  Value bits = unmaskedOnly ? maskTile.load(builder.getI32Type(), position) : Value();
  Value number = loops.min(loops.add(block.firstKey, key), loops.add(block.end, -1));
  Value last = loops.sub(rows.values, loops.constant(shape.width));
  Values added(before.size());
  for (int64_t access = 0; access < shape.accesses; ++access) {
    Value of;
    for (int64_t row = 0; row < shape.rows; ++row) {
      if (dependsOnRow || row == 0) {
        RegionVectoriser element = rows.bindKey(bindRow(shape.width, row), number);
        bindValue(element, loops.min(valueNumber(firstValue, access), last));
        of = element.broadcast(element.evaluate(formula));
      }
      int64_t position = row * shape.accesses + access;
      Value weight = vector::ExtractOp::create(builder, loops.location, weights, row);
      added[position] = wide.fma(wide.splat(weight), of, before[position]);
      if (!unmaskedOnly)
        continue;
      Value bit = arith::ConstantIntOp::create(builder, loops.location, int64_t(1) << row, 32);
      Value keeps = loops.isSet(arith::AndIOp::create(builder, loops.location, bits, bit));
      added[position] = loops.choose(keeps, added[position], before[position]);
    }
  }
  return added;
}

//===------------------------------------------ results -----------------------------------------------------------===//

void WarpValues::store(const RowStates &states, const Values &factors, Value firstValue) const {
  if (!problem.hasValue())
    return;
  LoopBuilder wide = wideLoops();
  bool isWhole = problem.values.isConstant() && problem.values.constant() % shape.sliceValues() == 0;
  forEachRow([&](int64_t row) {
    for (int64_t access = 0; access < shape.accesses; ++access) {
      Value number = valueNumber(firstValue, access), value = states.values[row * shape.accesses + access];
      if (!factors.empty())
        value = wide.mulf(value, wide.splat(scalarOf(factors[row])));
      loops.when(isWhole ? loops.boolean(true) : loops.less(number, rows.values), [&] {
        RegionVectoriser element = bindRow(shape.width, row);
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

void WarpValues::storePartials(const RowStates &states, PartialResults &memory, Value split, Value firstValue) const {
  Values sums = llvm::map_to_vector(states.sums, [&](Value partial) { return scalarOf(threadSum(partial)); });
  forEachRow([&](int64_t row) {
    Value part = memory.number(rows.batch, loops.add(warp.first, row), split);
    for (int64_t access = 0; access < shape.accesses; ++access) {
      Value number = valueNumber(firstValue, access), value = states.values[row * shape.accesses + access];
      loops.when(loops.less(number, rows.values),
                 [&] { memory.store(part, number, shape.width == 1 ? scalarOf(value) : value); });
    }
    group.onFirstThread([&] { memory.storeHead(part, {scalarOf(states.largest[row]), sums[row]}); });
  });
}

} // namespace attnc
