#include "compiler/Codegen/GPU/Attend/General/WarpScores.h"
#include "compiler/Analysis/DataSubscripts.h"
#include "compiler/Codegen/Formula/Reductions.h"
#include "compiler/Codegen/GPU/Tile/TileBuilder.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace attnc {

LoopBuilder::Values evaluateForRows(std::vector<RegionVectoriser> &pairs, Value value) {
  auto tile = llvm::map_to_vector(pairs, [](RegionVectoriser &pair) { return &pair; });
  return evaluateTogether(tile, value);
}

LoopBuilder::Values evaluateForRows(std::vector<RegionVectoriser> &pairs, Region &formula) {
  return evaluateForRows(pairs, AttendProblem::yielded(formula));
}

//===------------------------------------------ masks -------------------------------------------------------------===//

LoopBuilder::Values WarpScores::unmaskedPairs(const KeyBlock &block, Value all) const {
  Value isInside = loops.less(loops.add(block.firstKey, group.rank), block.end);
  auto inside = [&] { return Values(shape.rows, isInside); };
  if (!problem.hasMask())
    return inside();
  SmallVector<Type> types(shape.rows, loops.builder.getI1Type());
  return loops.select(all, types, inside, [&] {
    std::vector<RegionVectoriser> pairs = bindPairs(1, block.key);
    Values unmasked;
    for (Value keeps : evaluateForRows(pairs, op().getMask()))
      unmasked.push_back(loops.both(scalarOf(keeps), isInside));
    return unmasked;
  });
}

Value WarpScores::hasUnmasked(const KeyBlock &block) const {
  Value any = block.unmasked[0];
  for (Value unmasked : ArrayRef(block.unmasked).drop_front())
    any = loops.either(any, unmasked);
  Type i32 = loops.builder.getI32Type();
  Value number = arith::ExtUIOp::create(loops.builder, loops.location, i32, any);
  return loops.isSet(group.combine(SweepReduction{attn::Combine::Max, i32}, number)[0]);
}

void WarpScores::check(const KeyBlock &block, Region &formula, const Values &unmasked, ValueRange sizes) const {
  if (!readsByData(formula))
    return;
  std::vector<RegionVectoriser> pairs = bindPairs(1, block.key);
  for (auto [pair, keeps] : llvm::zip_equal(pairs, unmasked)) {
    pair.restrictLanes(loops.splat(keeps));
    pair.checkSubscripts(formula, sizes);
  }
}

//===------------------------------------------ scores ------------------------------------------------------------===//

/// A reduction over features, for each row.
LoopBuilder::Values WarpScores::computeProduct(const PairReduction &product, std::vector<RegionVectoriser> &pairs,
                                               Value key) const {
  attn::ReduceOp reduce = product.op;
  bool inAccesses =
      reduce.getSizes().size() == 1 && product.features.isConstant() && product.features.constant() % deviceLanes == 0;
  return inAccesses ? sumFeatures(product, key) : evaluateForRows(pairs, reduce.getResult());
}

/// Four features at a time, with one partial sum for each.
LoopBuilder::Values WarpScores::sumFeatures(const PairReduction &product, Value key) const {
  attn::ReduceOp reduce = product.op;
  OpBuilder &builder = loops.builder;
  LoopBuilder wide(builder, loops.location, deviceLanes);
  std::vector<RegionVectoriser> pairs = bindPairs(deviceLanes, key);
  Value start = neutralElement(builder, loops.location, reduce.getCombine(), wide.vectorType());
  Values sums(shape.rows, start);
  auto add = [&](RegionVectoriser pair, Value feature, Value sum) -> Value {
    pair.bindIndex(reduce.getBody().getArgument(0), steppingIndex(feature));
    if (product.isDot) {
      Value ofKey = pair.broadcast(pair.evaluate(product.keyFactor));
      Value ofRow = pair.broadcast(pair.evaluate(tensor::ExtractOp(product.rowExtracts[0]).getResult()));
      return wide.fma(ofRow, ofKey, sum);
    }
    Value term = pair.broadcast(pair.evaluate(AttendProblem::yielded(reduce.getBody())));
    return combine(builder, loops.location, reduce.getCombine(), sum, term);
  };
  int64_t features = product.features.constant(), accesses = features % (2 * deviceLanes) == 0 ? 2 : 1;
  Value end = loops.constant(features), step = loops.constant(accesses * deviceLanes);
  sums = loops.loop(loops.constant(0), end, step, sums, [&](Value first, ValueRange carried) {
    Values next(carried);
    for (int64_t access = 0; access < accesses; ++access)
      for (auto [pair, sum] : llvm::zip_equal(pairs, next))
        sum = add(pair, loops.add(first, access * deviceLanes), sum);
    return next;
  });
  disableUnrolling(sums[0]); // unrolled, the sums of all rows would be in registers at once
  for (Value &sum : sums)
    sum = combineLanes(builder, loops.location, reduce.getCombine(), sum);
  return sums;
}

LoopBuilder::Values WarpScores::compute(KeyBlock &block) const {
  std::vector<RegionVectoriser> pairs = bindPairs(1, block.key);
  for (const PairReduction &product : problem.products)
    for (auto [pair, sum] : llvm::zip_equal(pairs, computeProduct(product, pairs, block.key)))
      pair.bindValue(attn::ReduceOp(product.op).getResult(), sum);
  Values scores = evaluateForRows(pairs, op().getScore());
  for (auto [score, unmasked] : llvm::zip_equal(scores, block.unmasked)) {
    score = loops.splat(scalarOf(score));
    if (double scale = problem.normaliser->scoreScale(); scale != 1)
      score = loops.mulf(score, loops.splat(scale));
    Value isScore = loops.compare(arith::CmpFPredicate::UNE, scalarOf(score), loops.scalar(negativeInfinity));
    unmasked = loops.both(unmasked, isScore);
    score = loops.choose(unmasked, score, loops.splat(problem.normaliser->droppedScore()));
  }
  return scores;
}

} // namespace attnc
