#include "compiler/Codegen/CPU/Attend/AttendBinding.h"
#include "compiler/Codegen/CPU/Attend/AttendDecode.h"
#include "compiler/Codegen/CPU/Attend/AttendExp.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;

namespace attnc {

static constexpr int64_t farBytes = 16384, nearBytes = 2048; // prefetched ahead
static constexpr int64_t keysOfSubBlock = 32;                // whose values stay in the first-level cache
static constexpr int64_t lineFloats = 16;

//===-------------------------------------------- products ----------------------------------------------------===//

void AttendDecode::computeProduct(unsigned number, Value firstKey, Value count) {
  // As many sums at once as a vector has lanes: 4 rows x 4 keys, 2 x 8, 1 x 16.
  int64_t most = rowTiles[0].count;
  for (const RowTile &tile : rowTiles)
    most = std::max(most, tile.count);
  int64_t tileKeys = schedule.lanes / llvm::PowerOf2Ceil(most);
  loops.loop(loops.constant(0), count, loops.constant(tileKeys), [&](Value key) {
    for (const RowTile &tile : rowTiles)
      computeProductTile(number, tile, firstKey, key, count);
  });
}

/// Lane i of the result combines all lanes of vector i.
Value AttendDecode::sumLanes(attn::Combine kind, Values vectors) {
  SmallVector<int64_t> even, odd;
  for (int64_t lane = 0; lane < schedule.lanes; ++lane) {
    even.push_back(2 * lane);
    odd.push_back(2 * lane + 1);
  }
  while (vectors.size() > 1) {
    Values halves;
    for (size_t i = 0; i < vectors.size(); i += 2) {
      auto pick = [&](ArrayRef<int64_t> lanes) -> Value {
        return vector::ShuffleOp::create(loops.builder, loops.location, vectors[i], vectors[i + 1], lanes);
      };
      halves.push_back(combine(loops.builder, loops.location, kind, pick(even), pick(odd)));
    }
    vectors = halves;
  }
  return vectors[0];
}

void AttendDecode::computeProductTile(unsigned number, RowTile tile, Value firstKey, Value key, Value count) {
  const PairReduction &product = problem.products[number];
  attn::ReduceOp op = product.op;
  int64_t slots = llvm::PowerOf2Ceil(tile.count), tileKeys = schedule.lanes / slots;
  Value last = loops.add(count, -1), features = frame.size(product.features);
  // Past the last key it is read again: those scores are not used.
  std::vector<std::vector<RegionVectoriser>> cells(tile.count);
  for (int64_t k = 0; k < tileKeys; ++k) {
    Value place = loops.add(firstKey, loops.min(loops.add(key, k), last));
    for (int64_t r = 0; r < tile.count; ++r)
      bindKeyIndex(problem, cells[r].emplace_back(rowPoints[tile.first + r]), 0, uniformIndex(place));
  }
  Value neutral =
      loops.splat(neutralElement(loops.builder, loops.location, op.getCombine(), loops.builder.getF32Type()));
  BlockArgument index = op.getBody().getArgument(0);
  auto addTerms = [&](Value feature, ValueRange carried, bool isTail) {
    LaneIndex lanes = steppingIndex(feature);
    if (tile.first == 0)
      for (int64_t k = 0; k < tileKeys; ++k)
        prefetchKeys(product, loops.add(loops.add(firstKey, key), k), lanes);
    Values next(carried);
    for (int64_t r = 0; r < tile.count; ++r)
      for (int64_t k = 0; k < tileKeys; ++k) {
        RegionVectoriser term = cells[r][k];
        term.bindIndex(index, lanes);
        if (isTail)
          term.setActiveLanes(loops.sub(features, feature));
        Value &sum = next[r * tileKeys + k];
        if (product.isDot && !isTail) {
          Value row = term.broadcast(term.evaluate(tensor::ExtractOp(product.rowExtracts[0]).getResult()));
          sum = loops.fma(row, term.broadcast(term.evaluate(product.keyFactor)), sum);
          continue;
        }
        Value value = term.broadcast(term.evaluate(AttendProblem::yielded(op.getBody())));
        if (isTail)
          value = loops.choose(term.laneMask(), value, neutral);
        sum = combine(loops.builder, loops.location, op.getCombine(), sum, value);
      }
    return next;
  };
  Values sums(slots * tileKeys, neutral);
  Value whole = loops.mul(loops.div(features, loops.constant(schedule.lanes)), schedule.lanes);
  Values used(ArrayRef<Value>(sums).take_front(tile.count * tileKeys));
  used = loops.loop(loops.constant(0), whole, loops.constant(schedule.lanes), used,
                    [&](Value feature, ValueRange carried) { return addTerms(feature, carried, false); });
  SmallVector<Type> types(used.size(), loops.vectorType());
  used = loops.select(
      loops.less(whole, features), types, [&] { return addTerms(whole, used, true); }, [&] { return used; });
  llvm::copy(used, sums.begin());
  Value total = sumLanes(op.getCombine(), sums);
  for (int64_t r = 0; r < tile.count; ++r) {
    auto lanes = llvm::to_vector(llvm::seq<int64_t>(r * tileKeys, (r + 1) * tileKeys));
    Value part = vector::ShuffleOp::create(loops.builder, loops.location, total, total, lanes);
    int64_t row = (tile.first + r) * (blockKeys() + schedule.lanes);
    loops.store(part, scoreTiles[number], {loops.add(key, row)});
  }
}

/// Asks for the lines that this key's features will be followed by.
void AttendDecode::prefetchKeys(const PairReduction &product, Value key, const LaneIndex &feature) {
  attn::ReduceOp op = product.op;
  Value perKey = loops.max(loops.constant(1), loops.mul(frame.size(product.features), 4));
  for (auto [bytes, locality] : {std::pair(farBytes, 2u), {nearBytes, 3u}}) {
    RegionVectoriser ahead = rowPoints[0];
    bindKeyIndex(problem, ahead, 0, uniformIndex(loops.add(key, loops.div(loops.constant(bytes), perKey))));
    ahead.bindIndex(op.getBody().getArgument(0), uniformIndex(feature.base));
    op.walk([&, locality = locality](tensor::ExtractOp extract) {
      bool ofKey = IndexUses(problem.op).of(extract) & IndexUses::anyKey;
      if (!ofKey || !ahead.isAvailable(extract.getResult()) || !IndexUses::isPlacedByIndices(extract))
        return;
      Values place;
      for (Value subscript : extract.getIndices())
        place.push_back(ahead.evaluateIndex(subscript).base);
      loops.prefetch(frame.buffer(extract.getTensor()), place, locality);
    });
  }
}

//===-------------------------------------------- weights -----------------------------------------------------===//

/// The scores of a vector of keys; -inf (or zero) where masked. Notes which pairs are kept.
Value AttendDecode::scoreOf(RegionVectoriser &pair, int64_t row, Value key, bool masked) {
  attn::AttendOp op = problem.op;
  int64_t place = row * (blockKeys() + schedule.lanes);
  for (auto [product, tile] : llvm::zip(problem.products, scoreTiles))
    pair.bindValue(attn::ReduceOp(product.op).getResult(), loops.load(tile, {loops.add(key, place)}));
  Value score = pair.broadcast(pair.evaluate(AttendProblem::yielded(op.getScore())));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (problem.isSoftmax())
    score = loops.mulf(score, loops.splat(log2e));
  if (masked)
    score =
        loops.choose(loops.splat(pair.evaluate(AttendProblem::yielded(op.getMask()))), score, loops.splat(-infinity));
  score = loops.choose(pair.laneMask(), score, loops.splat(-infinity));
  Value kept = loops.compare(arith::CmpFPredicate::UNE, score, loops.splat(-infinity));
  loops.store(loops.widen(kept), keptTile, {loops.add(key, place)});
  return problem.isSoftmax() ? score : loops.choose(kept, score, loops.splat(0.0));
}

/// Turns the scores of a row into weights; its sum and its values so far are multiplied with the correction.
void AttendDecode::computeWeights(int64_t row, Value firstKey, Value count, bool masked) {
  attn::AttendOp op = problem.op;
  Value zero = loops.constant(0), step = loops.constant(schedule.lanes), state = loops.constant(row * schedule.lanes);
  int64_t rowPlace = row * (blockKeys() + schedule.lanes);
  auto bindPair = [&](Value key) {
    RegionVectoriser pair = rowPoints[row];
    bindKeyIndex(problem, pair, 0, steppingIndex(loops.add(firstKey, key)));
    pair.setActiveLanes(loops.min(step, loops.sub(count, key)));
    return pair;
  };
  Value before = loops.load(maxima, {state});
  Value largest = loops.loop(zero, count, step, {before}, [&](Value key, ValueRange carried) {
    RegionVectoriser pair = bindPair(key);
    Value score = scoreOf(pair, row, key, masked);
    loops.store(score, scoreTiles[0], {loops.add(key, rowPlace)});
    return Values{loops.maxKeepingFirst(carried[0], score)};
  })[0];
  Value total = loops.load(sums, {state});
  if (problem.isSoftmax()) {
    largest = loops.splat(vector::ReductionOp::create(loops.builder, loops.location, vector::CombiningKind::MAXNUMF,
                                                      largest, arith::FastMathFlags::nnan)
                              .getResult());
    Value correction = attendExp2(loops, loops.subf(before, largest), target);
    total = loops.mulf(total, correction);
    loops.store(largest, maxima, {state});
    Value rowValues = frame.size(problem.values.alignTo(schedule.lanes)), from = loops.mul(rowValues, row);
    loops.loop(from, loops.add(from, rowValues), step, [&](Value value) {
      loops.store(loops.mulf(loops.load(sumTile, {value}), correction), sumTile, {value});
    });
  }
  total = loops.loop(zero, count, step, {total}, [&](Value key, ValueRange carried) {
    Value place = loops.add(key, rowPlace), weight = loops.load(scoreTiles[0], {place});
    if (problem.isSoftmax())
      weight = attendExp2(loops, loops.subf(weight, largest), target);
    Value sum = loops.addf(carried[0], weight);
    if (problem.hasWeight()) {
      RegionVectoriser pair = bindPair(key);
      pair.bindValue(op.getWeight().getArgument(0), weight);
      weight = pair.broadcast(pair.evaluate(AttendProblem::yielded(op.getWeight())));
    }
    loops.store(weight, scoreTiles[0], {place});
    return Values{sum};
  })[0];
  loops.store(total, sums, {state});
}

//===-------------------------------------------- values ------------------------------------------------------===//

void AttendDecode::accumulateValues(Value firstKey, Value count) {
  // 4 rows x 4 vectors of values in registers, or fewer rows and more vectors.
  int64_t most = 1;
  for (const RowTile &tile : rowTiles)
    most = std::max(most, tile.count);
  int64_t vectors = std::min<int64_t>(8, schedule.lanes / most), width = vectors * schedule.lanes;
  Value zero = loops.constant(0);
  loops.loop(zero, count, loops.constant(keysOfSubBlock), [&](Value begin) {
    Value end = loops.min(count, loops.add(begin, keysOfSubBlock));
    auto tiles = [&](Value from, Value to, int64_t vectorsAtOnce) {
      loops.loop(from, to, loops.constant(vectorsAtOnce * schedule.lanes), [&](Value value) {
        for (const RowTile &tile : rowTiles)
          accumulateValueTile({tile, firstKey, begin, end, value, vectorsAtOnce});
      });
    };
    Value whole = loops.mul(loops.div(values, loops.constant(width)), width);
    tiles(zero, whole, vectors);
    tiles(whole, values, 1);
  });
}

Value AttendDecode::valuePlace(const ValueTile &tile, int64_t row, int64_t vector) {
  Value rowValues = frame.size(problem.values.alignTo(schedule.lanes));
  return loops.add(loops.add(loops.mul(rowValues, tile.rows.first + row), tile.firstValue), vector * schedule.lanes);
}

void AttendDecode::accumulateValueTile(const ValueTile &tile) {
  Values sums = sumValueTile(tile, /*keptAlone=*/false);
  // A weight of zero does not hide an infinite value or a NaN of a dropped pair; they are rare, so they show first.
  SmallVector<Type> types(sums.size(), loops.vectorType());
  sums = loops.select(
      loops.hasNan(sums), types, [&] { return sumValueTile(tile, /*keptAlone=*/true); }, [&] { return sums; });
  for (int64_t r = 0; r < tile.rows.count; ++r)
    for (int64_t vector = 0; vector < tile.vectors; ++vector)
      loops.store(sums[r * tile.vectors + vector], sumTile, {valuePlace(tile, r, vector)});
}

/// O with the keys of a tile, [row][vector]; with the kept pairs alone, or with a weight of zero elsewhere.
LoopBuilder::Values AttendDecode::sumValueTile(const ValueTile &tile, bool keptAlone) {
  attn::AttendOp op = problem.op;
  Value formula = AttendProblem::yielded(op.getValue());
  bool ofRows = false;
  for (unsigned dimension : problem.rowDims)
    ofRows |= IndexUses(op).of(formula) & IndexUses::outer(dimension);
  Values carried;
  for (int64_t r = 0; r < tile.rows.count; ++r)
    for (int64_t vector = 0; vector < tile.vectors; ++vector)
      carried.push_back(loops.load(sumTile, {valuePlace(tile, r, vector)}));
  return loops.loop(tile.begin, tile.end, loops.constant(1), carried, [&](Value key, ValueRange before) {
    Values next;
    if (tile.rows.first == 0 && !keptAlone)
      prefetchValues(loops.add(tile.firstKey, key), tile.firstValue, tile.vectors);
    for (int64_t r = 0; r < tile.rows.count; ++r) {
      Value place = loops.add(key, (tile.rows.first + r) * (blockKeys() + schedule.lanes));
      Value weight = loops.splat(loops.loadScalar(scoreTiles[0], {place}));
      Value kept = keptAlone ? loops.isSet(loops.loadScalar(keptTile, {place})) : Value();
      for (int64_t vector = 0; vector < tile.vectors; ++vector) {
        RegionVectoriser element = rowPoints[tile.rows.first + (ofRows ? r : 0)];
        Value first = loops.add(tile.firstValue, vector * schedule.lanes);
        bindKeyIndex(problem, element, 0, uniformIndex(loops.add(tile.firstKey, key)));
        bindValueIndex(problem, element, 0, steppingIndex(first));
        if (tile.vectors == 1)
          element.setActiveLanes(loops.min(loops.constant(schedule.lanes), loops.sub(values, first)));
        Value sum = before[next.size()], value = element.broadcast(element.evaluate(formula));
        Value added = loops.fma(weight, value, sum);
        next.push_back(keptAlone ? loops.choose(kept, added, sum) : added);
      }
    }
    return next;
  });
}

void AttendDecode::prefetchValues(Value key, Value firstValue, int64_t vectors) {
  attn::AttendOp op = problem.op;
  auto extract = AttendProblem::yielded(op.getValue()).getDefiningOp<tensor::ExtractOp>();
  if (!extract || !IndexUses::isPlacedByIndices(extract))
    return;
  Value perKey = loops.max(loops.constant(1), loops.mul(values, 4));
  for (auto [bytes, locality] : {std::pair(farBytes, 2u), {nearBytes, 3u}})
    for (int64_t at = 0; at < vectors * schedule.lanes; at += lineFloats) {
      RegionVectoriser ahead = rowPoints[0];
      bindKeyIndex(problem, ahead, 0, uniformIndex(loops.add(key, loops.div(loops.constant(bytes), perKey))));
      bindValueIndex(problem, ahead, 0, uniformIndex(loops.add(firstValue, at)));
      Values place;
      for (Value subscript : extract.getIndices())
        place.push_back(ahead.evaluateIndex(subscript).base);
      loops.prefetch(frame.buffer(extract.getTensor()), place, locality);
    }
}

} // namespace attnc
