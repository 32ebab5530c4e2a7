// What attention yields besides values, weights and lse: the rows' entropy and largest keys, and sums of the keys.
#include "compiler/Codegen/CPU/Attend/AttendPrefill.h"
#include "compiler/Codegen/DataSubscripts.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;

namespace attnc {

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Whether the pass is the first one that computes scores.
bool AttendPrefill::seesScores(Pass pass) const {
  return pass == Pass::Apply ? problem.normaliser->order() == Normaliser::Order::AtOnce
                             : problem.normaliser->order() != Normaliser::Order::AtOnce;
}

//===-------------------------------------------- entropy -----------------------------------------------------===//

/// Before the factor of a row is known, or with final weights where they have none.
bool AttendPrefill::carriesLogs(Pass pass) const {
  bool hasFactor = problem.normaliser->order() == Normaliser::Order::Factor;
  return problem.yields(attn::Statistic::Entropy) && (pass == Pass::Apply) != hasFactor;
}

/// w log2 w of one key of a block.
Value AttendPrefill::logTerm(Pass pass, int64_t vector, Value key, Value weight, Value largest) {
  NormaliserCode here = code();
  Value log = pass == Pass::Apply
                  ? here.log2OfSize(weight)
                  : problem.normaliser->logWeight(here, loadTile(scoreTiles[0], vector, key), weight, {largest, {}});
  return loops.mulf(weight, log);
}

Value AttendPrefill::entropyOf(int64_t vector) {
  Value sink;
  if (problem.hasSink()) {
    attn::AttendOp op = problem.op;
    RegionVectoriser &row = rowVectors[vector];
    sink = row.broadcast(row.evaluate(AttendProblem::yielded(op.getSink())));
    sink = loops.mulf(sink, loops.splat(problem.normaliser->scoreScale()));
  }
  Normaliser::Carriers carriers = {loadTile(maxima, vector), loadTile(sums, vector)};
  return problem.normaliser->entropy(code(), carriers, loadTile(logSums, vector), sink);
}

void AttendPrefill::storeEntropy() {
  auto result = problem.resultOf(attn::Statistic::Entropy);
  for (int64_t vector = 0; result && vector < schedule.vectors; ++vector) {
    RegionVectoriser element = rowVectors[vector];
    element.store(entropyOf(vector), frame.result(*result), outerIndices(problem, rowVectors[vector]));
  }
}

//===-------------------------------------------- the largest keys --------------------------------------------===//

Value AttendPrefill::splatI32(Value index) {
  Type i32 = loops.builder.getI32Type();
  return loops.splat(arith::IndexCastOp::create(loops.builder, loops.location, i32, index).getResult());
}

void AttendPrefill::startTop() {
  if (!problem.yieldsTop())
    return;
  Value none = splatI32(loops.constant(-1));
  loops.loop(loops.constant(0), loops.constant(problem.top()), loops.constant(1), [&](Value rank) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      storeTile(loops.splat(-infinity), topScores, vector, rank);
      storeTile(none, topKeys, vector, rank);
    }
  });
}

LoopBuilder::Values AttendPrefill::topTiles() const {
  Values tiles = {topScores, topKeys};
  if (holdsScores())
    tiles.push_back(topPlaces);
  return tiles;
}

LoopBuilder::Values AttendPrefill::loadTop(Value vector, Value rank) {
  Values kept;
  for (Value tile : topTiles())
    kept.push_back(loops.load(tile, {loops.add(tileAt(rank, 0, 0), vector)}));
  return kept;
}

void AttendPrefill::keepTop(Value vector, Value rank, ValueRange kept) {
  for (auto [tile, value] : llvm::zip_equal(topTiles(), kept))
    loops.store(value, tile, {loops.add(tileAt(rank, 0, 0), vector)});
}

/// Lets the scores of a block enter: those that are larger than the least one that is kept, which are few. What is kept
/// of a vector of rows is in registers meanwhile, if it is little.
void AttendPrefill::noteTop(Value firstKey, Value count) {
  constexpr int64_t mostInRegisters = 8;
  int64_t top = problem.top(), width = static_cast<int64_t>(topTiles().size());
  bool isFew = top <= mostInRegisters;
  forEachVector([&](Value vector) {
    Values start;
    for (int64_t rank = isFew ? 0 : top - 1; rank < top; ++rank)
      start.append(loadTop(vector, loops.constant(rank)));
    SmallVector<Type> types = llvm::to_vector(ValueRange(start).getTypes());
    Values kept = loops.loop(loops.constant(0), count, loops.constant(1), start, [&](Value key, ValueRange carried) {
      Value score = keptScore(vector, key), least = carried[carried.size() - width];
      Value enters = loops.compare(arith::CmpFPredicate::OGT, score, least);
      Value any = vector::ReductionOp::create(loops.builder, loops.location, vector::CombiningKind::OR, enters);
      auto enter = [&] {
        Values entry = {score, splatI32(indexOf(loops.add(firstKey, key), keyResidue))};
        if (holdsScores())
          entry.push_back(splatI32(loops.add(firstHeld, key)));
        return isFew ? enterRegisters(carried, entry) : enterTiles(vector, entry);
      };
      return loops.select(any, types, enter, [&] { return Values(carried); });
    });
    for (int64_t rank = 0; isFew && rank < top; ++rank)
      keepTop(vector, loops.constant(rank), ArrayRef<Value>(kept).slice(rank * width, width));
  });
}

/// The score of a pair of the block, -inf where it is dropped.
Value AttendPrefill::keptScore(Value vector, Value key) {
  Value score = loops.load(scoreTiles[0], {loops.add(tileAt(key, 0, 0), vector)});
  if (problem.normaliser->droppedScore() == -infinity)
    return score;
  return loops.choose(loops.loadFlags(keptTile, {keptAt(key, vector)}), score, loops.splat(-infinity));
}

/// An entry is a score, its key and its place. It comes behind equal scores, whose keys are lower.
AttendPrefill::TopRank AttendPrefill::enterAt(ValueRange entry, ValueRange kept) {
  return {Values(kept), loops.compare(arith::CmpFPredicate::OGT, entry[0], kept[0])};
}

/// What a rank keeps now: what was above where the entry comes before that, or the entry. Ranks are sorted, so that
/// none waits for another one.
LoopBuilder::Values AttendPrefill::displaced(ValueRange entry, const TopRank &here, const TopRank &above) {
  Values kept;
  for (auto [there, own, former] : llvm::zip_equal(entry, here.kept, above.kept))
    kept.push_back(loops.choose(above.enters, former, loops.choose(here.enters, there, own)));
  return kept;
}

LoopBuilder::Values AttendPrefill::enterRegisters(ValueRange before, ValueRange entry) {
  Values kept;
  TopRank above = {Values(entry), loops.splat(loops.boolean(false))};
  for (size_t width = entry.size(); kept.size() < before.size();) {
    TopRank here = enterAt(entry, before.slice(kept.size(), width));
    kept.append(displaced(entry, here, above));
    above = here;
  }
  return kept;
}

/// Gives what is kept at the last rank.
LoopBuilder::Values AttendPrefill::enterTiles(Value vector, ValueRange entry) {
  Value count = loops.constant(problem.top());
  Values start(entry);
  start.push_back(loops.splat(loops.boolean(false)));
  loops.loop(loops.constant(0), count, loops.constant(1), start, [&](Value rank, ValueRange carried) {
    TopRank above = {Values(carried.drop_back()), carried.back()}, here = enterAt(entry, loadTop(vector, rank));
    keepTop(vector, rank, displaced(entry, here, above));
    Values next = here.kept;
    next.push_back(here.enters);
    return next;
  });
  return loadTop(vector, loops.add(count, -1));
}

void AttendPrefill::storeTop() {
  auto keysResult = problem.resultOf(attn::Statistic::Top), weights = problem.resultOf(attn::Statistic::TopWeights);
  if (!problem.yieldsTop())
    return;
  Values start;
  for (int64_t vector = 0; vector < schedule.vectors; ++vector)
    start.push_back(problem.normaliser->start(code(), {}).sum);
  Value count = loops.constant(problem.top());
  loops.loop(loops.constant(0), count, loops.constant(1), start, [&](Value rank, ValueRange carried) {
    Values next(carried);
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      SmallVector<LaneIndex> place = outerIndices(problem, rowVectors[vector]);
      place.push_back(uniformIndex(rank));
      RegionVectoriser element = rowVectors[vector];
      if (keysResult)
        element.store(loadTile(topKeys, vector, rank), frame.result(*keysResult), place);
      if (weights)
        element.store(weightOfTop(vector, rank, next[vector]), frame.result(*weights), place);
    }
    return next;
  });
}

/// p' of the keys of a rank; `sum` is that over the ranks before, for normalisers that follow keys.
Value AttendPrefill::weightOfTop(int64_t vector, Value rank, Value &sum) {
  attn::AttendOp op = problem.op;
  OpBuilder &builder = loops.builder;
  Value score = loadTile(topScores, vector, rank), keys = loadTile(topKeys, vector, rank), weight;
  Value zeros = arith::ConstantOp::create(builder, loops.location, builder.getZeroAttr(keys.getType()));
  Value exists = arith::CmpIOp::create(builder, loops.location, arith::CmpIPredicate::sge, keys, zeros);
  if (holdsScores()) {
    weight = gatherHeld(vector, loops.choose(exists, loadTile(topPlaces, vector, rank), zeros));
  } else {
    Normaliser::Weighed weighed = problem.normaliser->weigh(code(), score, {loadTile(maxima, vector), sum});
    weight = weighed.weight;
    sum = weighed.sum;
  }
  if (problem.normaliser->order() != Normaliser::Order::AtOnce)
    weight = loops.mulf(weight, loadTile(factors, vector));
  if (problem.hasWeight()) {
    RegionVectoriser pair = rowVectors[vector];
    Value numbers = loops.choose(exists, keys, zeros);
    for (auto [dimension, index] : llvm::enumerate(subscriptsOfLanes(loops, numbers, keySizes)))
      bindKeyIndex(problem, pair, dimension, index);
    pair.bindValue(op.getWeight().getArgument(0), weight);
    if (readsByData(op.getWeight()))
      pair.restrictLanes(exists);
    weight = pair.broadcast(pair.evaluate(AttendProblem::yielded(op.getWeight())));
  }
  return loops.choose(exists, weight, loops.splat(0.0));
}

/// What is held of a vector of rows, each at a place of its own.
Value AttendPrefill::gatherHeld(int64_t vector, Value places) {
  OpBuilder &builder = loops.builder;
  Type i32 = builder.getI32Type();
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, loops.lanes));
  Value lane = arith::ConstantOp::create(builder, loops.location,
                                         DenseElementsAttr::get(loops.vectorType(i32), ArrayRef<int32_t>(numbers)));
  Value rows = arith::MulIOp::create(builder, loops.location, places, splatI32(loops.constant(schedule.tileQ())));
  Value offsets = arith::AddIOp::create(builder, loops.location, rows, lane);
  Value all = arith::ConstantOp::create(builder, loops.location,
                                        DenseElementsAttr::get(loops.vectorType(builder.getI1Type()), true));
  return vector::GatherOp::create(builder, loops.location, loops.vectorType(), heldTile, ValueRange{at(vector)},
                                  offsets, all, loops.splat(0.0));
}

//===-------------------------------------------- sums of keys ------------------------------------------------===//

/// Adds the rows' weights of a block to the chunk's part, as many keys at a time as a vector has lanes.
void AttendPrefill::addKeySums(const PairBlock &block) {
  auto sumOf = [&](Value key) {
    Value sum;
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      Value weight = loadTile(scoreTiles[0], vector, key);
      if (Value active = rowVectors[vector].laneMask())
        weight = loops.choose(active, weight, loops.splat(0.0));
      sum = sum ? loops.addf(sum, weight) : weight;
    }
    return sum;
  };
  Value lanes = loops.constant(schedule.lanes), whole = loops.mul(loops.div(block.count, lanes), schedule.lanes);
  Value first = loops.add(firstKeySum, block.firstKey);
  loops.loop(loops.constant(0), whole, lanes, [&](Value key) {
    Values each;
    for (int64_t lane = 0; lane < schedule.lanes; ++lane)
      each.push_back(sumOf(loops.add(key, lane)));
    Value total = loops.foldLanes(each, [&](Value a, Value b) { return loops.addf(a, b); });
    Value place = loops.add(first, key);
    loops.store(loops.addf(loops.load(keySums, {place}), total), keySums, {place});
  });
  loops.loop(whole, block.count, loops.constant(1), [&](Value key) {
    Value place = loops.add(first, key), total = code().sumOfLanes(sumOf(key));
    loops.storeScalar(loops.addf(loops.loadScalar(keySums, {place}), total), keySums, {place});
  });
}

} // namespace attnc
