#include "compiler/Codegen/CPU/Attend/Prefill/LargestKeys.h"
#include "compiler/Analysis/DataSubscripts.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;

namespace attnc {

static constexpr double infinity = std::numeric_limits<double>::infinity();

LargestKeys::LargestKeys(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries,
                         const SelectedPairs &selected, const PrefillTiles &tiles)
    : PrefillContext(context), access(loops, schedule), batch(batch), queries(queries), selected(selected),
      tiles(tiles), entryTiles({tiles.top.scores, tiles.top.keys}) {
  if (problem.passes.materialisesScores())
    entryTiles.push_back(tiles.top.rows);
}

Value LargestKeys::splatI32(Value index) const {
  Type i32 = loops.builder.getI32Type();
  return loops.splat(arith::IndexCastOp::create(loops.builder, loops.location, i32, index).getResult());
}

void LargestKeys::clear() {
  if (!problem.yieldsTop())
    return;
  Value none = splatI32(loops.constant(-1));
  loops.loop(loops.constant(0), loops.constant(problem.top()), loops.constant(1), [&](Value rank) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      access.store(loops.splat(-infinity), tiles.top.scores, vector, rank);
      access.store(none, tiles.top.keys, vector, rank);
    }
  });
}

LoopBuilder::Values LargestKeys::load(Value query, Value rank) const {
  Values entry;
  for (Value tile : entryTiles)
    entry.push_back(access.loadFrom(tile, query, rank));
  return entry;
}

void LargestKeys::store(Value query, Value rank, ValueRange entry) const {
  for (auto [tile, value] : llvm::zip_equal(entryTiles, entry))
    access.storeFrom(value, tile, query, rank);
}

//===-------------------------------------------- insertion ---------------------------------------------------===//

/// The entries of a vector of rows are in registers meanwhile, if there are few.
void LargestKeys::insert(const KeyBlock &block) {
  constexpr int64_t mostInRegisters = 8;
  int64_t top = problem.top(), width = static_cast<int64_t>(entryTiles.size());
  bool isFew = top <= mostInRegisters;
  access.forEachVector([&](Value query) {
    Values start;
    for (int64_t rank = isFew ? 0 : top - 1; rank < top; ++rank)
      start.append(load(query, loops.constant(rank)));
    SmallVector<Type> types = llvm::to_vector(ValueRange(start).getTypes());
    Values entries =
        loops.loop(loops.constant(0), block.count, loops.constant(1), start, [&](Value key, ValueRange carried) {
          Value score = selectedScore(block, query, key), least = carried[carried.size() - width];
          Value enters = loops.compare(arith::CmpFPredicate::OGT, score, least);
          Value any = vector::ReductionOp::create(loops.builder, loops.location, vector::CombiningKind::OR, enters);
          auto enter = [&] {
            Values added = {score, splatI32(batch.keyIndex(loops.add(block.firstKey, key)))};
            if (problem.passes.materialisesScores())
              added.push_back(splatI32(loops.add(block.firstMaterialised, key)));
            return isFew ? insertInRegisters(carried, added) : insertInTiles(query, added);
          };
          return loops.select(any, types, enter, [&] { return Values(carried); });
        });
    for (int64_t rank = 0; isFew && rank < top; ++rank)
      store(query, loops.constant(rank), ArrayRef<Value>(entries).slice(rank * width, width));
  });
}

/// The score of a pair of the block, -inf where it is dropped.
Value LargestKeys::selectedScore(const KeyBlock &block, Value query, Value key) {
  Value score = access.loadFrom(tiles.scores[0], query, key);
  if (problem.normaliser->droppedScore() == -infinity)
    return score;
  return loops.choose(selected.load(block, query, key), score, loops.splat(-infinity));
}

LargestKeys::Rank LargestKeys::compare(ValueRange added, ValueRange entry) const {
  return {Values(entry), loops.compare(arith::CmpFPredicate::OGT, added[0], entry[0])};
}

/// The new entry of a rank: that of the rank above where it moves down, or the added one. Ranks are sorted, so that
/// none depends on the insertion in another one.
LoopBuilder::Values LargestKeys::shift(ValueRange added, const Rank &here, const Rank &above) const {
  Values entry;
  for (auto [there, own, former] : llvm::zip_equal(added, here.entry, above.entry))
    entry.push_back(loops.choose(above.isAfter, former, loops.choose(here.isAfter, there, own)));
  return entry;
}

LoopBuilder::Values LargestKeys::insertInRegisters(ValueRange before, ValueRange added) const {
  Values entries;
  Rank above = {Values(added), loops.splat(loops.boolean(false))};
  for (size_t width = added.size(); entries.size() < before.size();) {
    Rank here = compare(added, before.slice(entries.size(), width));
    entries.append(shift(added, here, above));
    above = here;
  }
  return entries;
}

/// Returns the entry of the last rank.
LoopBuilder::Values LargestKeys::insertInTiles(Value query, ValueRange added) const {
  Value count = loops.constant(problem.top());
  Values start(added);
  start.push_back(loops.splat(loops.boolean(false)));
  loops.loop(loops.constant(0), count, loops.constant(1), start, [&](Value rank, ValueRange carried) {
    Rank above = {Values(carried.drop_back()), carried.back()}, here = compare(added, load(query, rank));
    store(query, rank, shift(added, here, above));
    Values next = here.entry;
    next.push_back(here.isAfter);
    return next;
  });
  return load(query, loops.add(count, -1));
}

//===-------------------------------------------- results -----------------------------------------------------===//

void LargestKeys::store(QueryResults &results) {
  if (!problem.yieldsTop())
    return;
  NormaliserCode code = {loops, target};
  Values start;
  for (int64_t vector = 0; vector < schedule.vectors; ++vector)
    start.push_back(problem.normaliser->start(code, {}).sum);
  Value count = loops.constant(problem.top());
  loops.loop(loops.constant(0), count, loops.constant(1), start, [&](Value rank, ValueRange carried) {
    Values next(carried);
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      if (results.yields(attn::Statistic::Top))
        results.store(attn::Statistic::Top, vector, access.load(tiles.top.keys, vector, rank), rank);
      if (results.yields(attn::Statistic::TopWeights))
        results.store(attn::Statistic::TopWeights, vector, weightOf(vector, rank, next[vector]), rank);
    }
    return next;
  });
}

/// The final weights of the keys of a rank; `sum` is that of the ranks before, for normalisers that follow keys.
Value LargestKeys::weightOf(int64_t vector, Value rank, Value &sum) {
  attn::AttendOp op = problem.op;
  OpBuilder &builder = loops.builder;
  NormaliserCode code = {loops, target};
  Value score = access.load(tiles.top.scores, vector, rank), keys = access.load(tiles.top.keys, vector, rank), weight;
  Value zeros = arith::ConstantOp::create(builder, loops.location, builder.getZeroAttr(keys.getType()));
  Value exists = arith::CmpIOp::create(builder, loops.location, arith::CmpIPredicate::sge, keys, zeros);
  if (problem.passes.materialisesScores()) {
    weight = gatherMaterialised(vector, loops.choose(exists, access.load(tiles.top.rows, vector, rank), zeros));
  } else {
    Value largest = access.load(tiles.rows.maxima, vector);
    Normaliser::Weighed weighed = problem.normaliser->weigh(code, score, {largest, sum});
    weight = weighed.weight;
    sum = weighed.sum;
  }
  if (problem.passes.hasFactors)
    weight = loops.mulf(weight, access.load(tiles.rows.factors, vector));
  if (problem.hasWeight()) {
    RegionVectoriser pair = queries.vectors[vector];
    Value numbers = loops.choose(exists, keys, zeros);
    for (auto [dimension, index] : llvm::enumerate(subscriptsOfLanes(loops, numbers, batch.keySizes)))
      bindKeyIndex(problem, pair, dimension, index);
    pair.bindValue(op.getWeight().getArgument(0), weight);
    if (readsByData(op.getWeight()))
      pair.restrictLanes(exists);
    weight = pair.broadcast(pair.evaluate(AttendProblem::yielded(op.getWeight())));
  }
  return loops.choose(exists, weight, loops.splat(0.0));
}

/// The materialised weights of a vector of rows, each in a row of its own.
Value LargestKeys::gatherMaterialised(int64_t vector, Value rows) {
  OpBuilder &builder = loops.builder;
  Type i32 = builder.getI32Type();
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, loops.lanes));
  Value lane = arith::ConstantOp::create(builder, loops.location,
                                         DenseElementsAttr::get(loops.vectorType(i32), ArrayRef<int32_t>(numbers)));
  Value starts = arith::MulIOp::create(builder, loops.location, rows, splatI32(loops.constant(schedule.tileQ())));
  Value offsets = arith::AddIOp::create(builder, loops.location, starts, lane);
  Value all = arith::ConstantOp::create(builder, loops.location,
                                        DenseElementsAttr::get(loops.vectorType(builder.getI1Type()), true));
  return vector::GatherOp::create(builder, loops.location, loops.vectorType(), tiles.materialised,
                                  ValueRange{access.queryOf(vector)}, offsets, all, loops.splat(0.0));
}

} // namespace attnc
