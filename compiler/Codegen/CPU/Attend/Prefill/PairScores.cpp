#include "compiler/Codegen/CPU/Attend/Prefill/PairScores.h"
#include "compiler/Analysis/DataSubscripts.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;

namespace attnc {

PairScores::PairScores(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries,
                       PairOperands &pairs, const SelectedPairs &selected, const PrefillTiles &tiles)
    : PrefillContext(context), access(loops, schedule), batch(batch), queries(queries), pairs(pairs),
      selected(selected), tiles(tiles) {}

//===-------------------------------------------- masks -------------------------------------------------------===//

Value PairScores::hasSelected(Value unsure, const KeyBlock &block) {
  if (LoopBuilder::constantOf(unsure) == 0)
    return loops.boolean(true);
  auto test = [&] { return Values{testPairs(block)}; };
  return loops.select(unsure, loops.builder.getI1Type(), test, [&] { return Values{loops.boolean(true)}; })[0];
}

Value PairScores::testPairs(const KeyBlock &block) {
  OpBuilder &builder = loops.builder;
  attn::AttendOp op = problem.op;
  Value none = arith::ConstantOp::create(builder, loops.location,
                                         DenseElementsAttr::get(loops.vectorType(builder.getI1Type()), false));
  Values any =
      loops.loop(loops.constant(0), block.count, loops.constant(1), {none}, [&](Value key, ValueRange carried) {
        Value any = carried[0];
        for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
          RegionVectoriser pair = pairs.bindPair(vector, block, key);
          Value keeps = loops.splat(pair.evaluate(AttendProblem::yielded(op.getMask())));
          if (Value active = pair.laneMask())
            keeps = loops.both(keeps, active);
          any = loops.either(any, keeps);
        }
        return Values{any};
      });
  return vector::ReductionOp::create(builder, loops.location, vector::CombiningKind::OR, any[0]);
}

//===-------------------------------------------- scores ------------------------------------------------------===//

LoopBuilder::Values PairScores::compute(const KeyBlock &block) {
  SmallVector<Type> types(usesMaximum() ? schedule.vectors : 0, loops.vectorType());
  return loops.select(
      block.maskKeepsAll, types, [&] { return computeBy(block, /*masked=*/false); },
      [&] { return computeBy(block, /*masked=*/true); });
}

LoopBuilder::Values PairScores::computeBy(const KeyBlock &block, bool masked) {
  Value zero = loops.constant(0);
  Values largest;
  bool isDone = traits.keepsMaxima && !masked;
  if (usesMaximum())
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      largest.push_back(access.load(isDone ? tiles.rows.blockMaxima : tiles.rows.maxima, vector));
  if (isDone)
    return largest;
  if (traits.hasBias)
    return computeBiased(block, masked);
  return loops.loop(zero, block.count, loops.constant(1), largest, [&](Value key, ValueRange carried) {
    Values next;
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      RegionVectoriser pair = pairs.bindPair(vector, block, key);
      Value score = scoreOf(pair, block, access.queryOf(vector), key, masked);
      access.store(score, tiles.scores[0], vector, key);
      if (usesMaximum())
        next.push_back(loops.maxKeepingFirst(carried[vector], score));
    }
    return next;
  });
}

/// The same with biases, which are transposed square by square where they are added.
LoopBuilder::Values PairScores::computeBiased(const KeyBlock &block, bool masked) {
  Value zero = loops.constant(0), one = loops.constant(1), lanes = loops.constant(schedule.lanes);
  Value whole = loops.mul(loops.div(block.count, lanes), schedule.lanes);
  access.forEachVector([&](Value query) {
    RegionVectoriser row = queries.bindVector(query);
    std::vector<RegionVectoriser> lines = queries.bindLanes(query);
    auto addKey = [&](RegionVectoriser pair, Value key, Value largest) {
      pairs.bind(pair, query, key);
      Value score = scoreOf(pair, block, query, key, masked);
      access.storeFrom(score, tiles.scores[0], query, key);
      return usesMaximum() ? loops.maxKeepingFirst(largest, score) : largest;
    };
    Values largest = {loops.load(tiles.rows.maxima, {query})};
    largest = loops.loop(zero, whole, lanes, largest, [&](Value first, ValueRange carried) {
      std::vector<RegionVectoriser> square;
      for (int64_t key = 0; key < schedule.lanes; ++key)
        square.push_back(batch.bindKey(row, loops.add(loops.add(block.firstKey, first), key)));
      pairs.bindBiases(lines, loops.add(block.firstKey, first), square);
      Value most = carried[0];
      for (auto [key, pair] : llvm::enumerate(square))
        most = addKey(pair, loops.add(first, key), most);
      return Values{most};
    });
    largest = loops.loop(whole, block.count, one, largest, [&](Value key, ValueRange carried) {
      return Values{addKey(batch.bindKey(row, loops.add(block.firstKey, key)), key, carried[0])};
    });
    loops.store(largest[0], tiles.rows.blockMaxima, {query});
  });
  Values largest;
  for (int64_t vector = 0; usesMaximum() && vector < schedule.vectors; ++vector)
    largest.push_back(access.load(tiles.rows.blockMaxima, vector));
  return largest;
}

/// The scores of one key and a vector of queries; the normaliser's `droppedScore` where the pair is dropped. Stores the
/// flags of selected pairs.
Value PairScores::scoreOf(RegionVectoriser &pair, const KeyBlock &block, Value query, Value key, bool masked) {
  attn::AttendOp op = problem.op;
  for (auto [product, tile] : llvm::zip(problem.products, tiles.scores))
    pair.bindValue(product.scaled, access.loadFrom(tile, query, key));
  Value score = pair.broadcast(pair.evaluate(AttendProblem::yielded(op.getScore())));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (double scale = problem.normaliser->scoreScale(); scale != 1 && !problem.scoreIsProduct)
    score = loops.mulf(score, loops.splat(scale));
  if (masked) {
    Value keeps = loops.splat(pair.evaluate(AttendProblem::yielded(op.getMask())));
    score = loops.choose(keeps, score, loops.splat(-infinity));
  }
  Value isSelected = loops.compare(arith::CmpFPredicate::UNE, score, loops.splat(-infinity));
  if (traits.dropsPairs)
    selected.store(isSelected, block, query, key);
  double dropped = problem.normaliser->droppedScore();
  return dropped == -infinity ? score : loops.choose(isSelected, score, loops.splat(dropped));
}

void PairScores::check(const KeyBlock &block) {
  attn::AttendOp op = problem.op;
  if (!readsByData(op.getScore()))
    return;
  loops.loop(loops.constant(0), block.count, loops.constant(1), [&](Value key) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      RegionVectoriser pair = pairs.bindPair(vector, block, key);
      if (problem.hasMask())
        pair.restrictLanes(loops.splat(pair.evaluate(AttendProblem::yielded(op.getMask()))));
      pair.checkSubscripts(op.getScore());
    }
  });
}

} // namespace attnc
