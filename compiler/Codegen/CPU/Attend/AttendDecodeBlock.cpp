#include "compiler/Analysis/DataSubscripts.h"
#include "compiler/Codegen/CPU/Attend/AttendDecode.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;

namespace attnc {

static constexpr int64_t linesAtOnce = 16;   // asked for between two turns of a loop: more come in a burst
static constexpr int64_t keysOfSubBlock = 8; // whose values are read part by part: many are read out of order

//===-------------------------------------------- products ----------------------------------------------------===//

void AttendDecode::computeProduct(unsigned number, Value firstKey, Value count) {
  // As many sums at once as a vector has lanes: 4 rows x 4 keys, 2 x 8, 1 x 16.
  int64_t most = rowTiles[0].count;
  for (const RowTile &tile : rowTiles)
    most = std::max(most, tile.count);
  int64_t tileKeys = schedule.lanes / llvm::PowerOf2Ceil(most);
  loops.loop(loops.constant(0), count, loops.constant(tileKeys), [&](Value key) {
    for (const RowTile &tile : rowTiles)
      computeProductTile({number, tile, firstKey, key, count});
  });
}

/// Lane i of the result combines all lanes of vector i.
Value AttendDecode::sumLanes(attn::Combine kind, Values vectors) {
  return loops.foldLanes(std::move(vectors),
                         [&](Value a, Value b) { return combine(loops.builder, loops.location, kind, a, b); });
}

/// Adds the features from `feature` on of one pair; `left` of them where that is less than a vector.
Value AttendDecode::addFeatures(const PairReduction &product, RegionVectoriser pair, Value feature, Value left,
                                Value sum) {
  attn::ReduceOp op = product.op;
  pair.bindIndex(op.getBody().getArgument(0), steppingIndex(feature));
  if (product.isDot && !left) {
    Value key = pair.broadcast(pair.evaluate(product.keyFactor));
    Value row = pair.broadcast(pair.evaluate(tensor::ExtractOp(product.rowExtracts[0]).getResult()));
    return loops.fma(row, key, sum);
  }
  if (left)
    pair.setActiveLanes(left);
  Value value = pair.broadcast(pair.evaluate(AttendProblem::yielded(op.getBody())));
  if (left)
    value = loops.choose(pair.laneMask(), value, neutralOf(op));
  return combine(loops.builder, loops.location, op.getCombine(), sum, value);
}

Value AttendDecode::neutralOf(attn::ReduceOp op) {
  return loops.splat(neutralElement(loops.builder, loops.location, op.getCombine(), loops.builder.getF32Type()));
}

/// Few whole vectors of features: some keys at a time, each key's lines one after another, as they lie in memory.
LoopBuilder::Value AttendDecode::sumShortProducts(const ProductTile &tile, int64_t tileKeys) {
  const PairReduction &product = problem.products[tile.number];
  attn::ReduceOp op = product.op;
  int64_t vectors = product.features.constant() / schedule.lanes, slots = schedule.lanes / tileKeys;
  int64_t groupKeys = std::clamp<int64_t>(linesAtOnce / llvm::PowerOf2Ceil(vectors), 1, tileKeys);
  int64_t groups = tileKeys / groupKeys;
  loops.loop(loops.constant(0), loops.constant(groups), loops.constant(1), [&](Value group) {
    ProductTile part = tile;
    part.key = loops.add(tile.key, loops.mul(group, groupKeys));
    SmallVector<Cells> cells = bindTile(part, groupKeys);
    Lines ahead = tile.rows.first == 0 ? linesAheadOfProduct(part) : Lines();
    Values sums(tile.rows.count * groupKeys, neutralOf(op));
    for (int64_t k = 0; k < groupKeys; ++k)
      for (int64_t vector = 0; vector < vectors; ++vector) {
        Value feature = loops.constant(vector * schedule.lanes);
        prefetch(ahead, k, feature);
        for (auto [r, row] : llvm::enumerate(cells))
          sums[r * groupKeys + k] = addFeatures(product, row[k], feature, {}, sums[r * groupKeys + k]);
      }
    for (int64_t r = 0; r < tile.rows.count; ++r) {
      Value sum = sumLanes(op.getCombine(), Values(ArrayRef(sums).slice(r * groupKeys, groupKeys)));
      loops.store(sum, partTile, {loops.mul(loops.add(group, r * groups), schedule.lanes)});
    }
  });
  Values parts;
  for (int64_t part = 0; part < slots * groups; ++part)
    parts.push_back(part < tile.rows.count * groups ? loops.load(partTile, {loops.constant(part * schedule.lanes)})
                                                    : neutralOf(op));
  return sumLanes(op.getCombine(), parts);
}

/// Features in a loop.
LoopBuilder::Value AttendDecode::sumLongProducts(const ProductTile &tile, int64_t tileKeys) {
  const PairReduction &product = problem.products[tile.number];
  attn::ReduceOp op = product.op;
  SmallVector<Cells> cells = bindTile(tile, tileKeys);
  Lines ahead = tile.rows.first == 0 ? linesAheadOfProduct(tile) : Lines();
  auto addAll = [&](Value feature, Value left, Values sums) {
    for (int64_t k = 0; k < tileKeys; ++k) {
      prefetch(ahead, k, feature);
      for (auto [r, row] : llvm::enumerate(cells))
        sums[r * tileKeys + k] = addFeatures(product, row[k], feature, left, sums[r * tileKeys + k]);
    }
    return sums;
  };
  Value features = frame.size(product.features), lanes = loops.constant(schedule.lanes);
  Value whole = loops.mul(loops.div(features, lanes), schedule.lanes);
  Values sums(tile.rows.count * tileKeys, neutralOf(op));
  sums = loops.loop(loops.constant(0), whole, lanes, sums,
                    [&](Value feature, ValueRange carried) { return addAll(feature, {}, Values(carried)); });
  SmallVector<Type> types(sums.size(), loops.vectorType());
  sums = loops.select(
      loops.less(whole, features), types, [&] { return addAll(whole, loops.sub(features, whole), sums); },
      [&] { return sums; });
  sums.resize(schedule.lanes, neutralOf(op));
  return sumLanes(op.getCombine(), sums);
}

/// The pairs of the tile's rows and `tileKeys` keys. Past the last key it is read again: those scores are not used.
SmallVector<AttendDecode::Cells> AttendDecode::bindTile(const ProductTile &tile, int64_t tileKeys) {
  SmallVector<Cells> cells(tile.rows.count);
  Value last = loops.add(tile.count, -1);
  for (int64_t k = 0; k < tileKeys; ++k) {
    Value place = loops.add(tile.firstKey, loops.min(loops.add(tile.key, k), last));
    for (int64_t r = 0; r < tile.rows.count; ++r)
      bindKeyIndex(problem, cells[r].emplace_back(rowPoints[tile.rows.first + r]), 0, uniformIndex(place));
  }
  return cells;
}

void AttendDecode::computeProductTile(const ProductTile &tile) {
  const SizeExpr &features = problem.products[tile.number].features;
  int64_t tileKeys = schedule.lanes / llvm::PowerOf2Ceil(tile.rows.count);
  bool isShort = features.isConstant() && features.constant() > 0 && features.constant() % schedule.lanes == 0 &&
                 features.constant() <= linesAtOnce * schedule.lanes;
  Value total = isShort ? sumShortProducts(tile, tileKeys) : sumLongProducts(tile, tileKeys);
  for (int64_t r = 0; r < tile.rows.count; ++r) {
    auto lanes = llvm::to_vector(llvm::seq<int64_t>(r * tileKeys, (r + 1) * tileKeys));
    Value part = vector::ShuffleOp::create(loops.builder, loops.location, total, total, lanes);
    int64_t row = (tile.rows.first + r) * (blockKeys() + schedule.lanes);
    loops.store(part, scoreTiles[tile.number], {loops.add(tile.key, row)});
  }
}

//===-------------------------------------------- weights -----------------------------------------------------===//

/// Reports what a formula of kept pairs reads out of range.
void AttendDecode::checkKept(RegionVectoriser pair, Region &formula, Value kept) {
  if (!readsByData(formula))
    return;
  pair.restrictLanes(kept);
  pair.checkSubscripts(formula, &formula == &op().getValue() ? ValueRange(valueSizes) : ValueRange());
}

/// The scores of a vector of keys; -inf (or zero) where masked. Notes which pairs are kept.
Value AttendDecode::scoreOf(RegionVectoriser &pair, int64_t row, Value key, bool masked) {
  attn::AttendOp op = problem.op;
  int64_t place = row * (blockKeys() + schedule.lanes);
  for (auto [product, tile] : llvm::zip(problem.products, scoreTiles))
    pair.bindValue(attn::ReduceOp(product.op).getResult(), loops.load(tile, {loops.add(key, place)}));
  Value score = pair.broadcast(pair.evaluate(AttendProblem::yielded(op.getScore())));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (double scale = problem.normaliser->scoreScale(); scale != 1)
    score = loops.mulf(score, loops.splat(scale));
  Value keeps = pair.laneMask();
  if (masked)
    keeps = loops.both(keeps, loops.splat(pair.evaluate(AttendProblem::yielded(op.getMask()))));
  checkKept(pair, op.getScore(), keeps);
  score = loops.choose(keeps, score, loops.splat(-infinity));
  Value kept = loops.compare(arith::CmpFPredicate::UNE, score, loops.splat(-infinity));
  checkKept(pair, op.getValue(), kept);
  loops.store(loops.widen(kept), keptTile, {loops.add(key, place)});
  double dropped = problem.normaliser->droppedScore();
  return dropped == -infinity ? score : loops.choose(kept, score, loops.splat(dropped));
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
  if (problem.normaliser->usesMaximum()) {
    largest = loops.splat(vector::ReductionOp::create(loops.builder, loops.location, vector::CombiningKind::MAXNUMF,
                                                      largest, arith::FastMathFlags::nnan)
                              .getResult());
    Value correction = problem.normaliser->correction(code(), before, largest);
    total = loops.mulf(total, correction);
    loops.store(largest, maxima, {state});
    Value rowValues = frame.size(problem.values.alignTo(schedule.lanes)), from = loops.mul(rowValues, row);
    loops.loop(from, loops.add(from, rowValues), step, [&](Value value) {
      loops.store(loops.mulf(loops.load(sumTile, {value}), correction), sumTile, {value});
    });
  }
  total = loops.loop(zero, count, step, {total}, [&](Value key, ValueRange carried) {
    Value place = loops.add(key, rowPlace);
    auto [weight, sum] = problem.normaliser->weigh(code(), loops.load(scoreTiles[0], {place}), {largest, carried[0]});
    if (problem.hasWeight()) {
      RegionVectoriser pair = bindPair(key);
      pair.bindValue(op.getWeight().getArgument(0), weight);
      if (readsByData(op.getWeight()))
        pair.restrictLanes(loops.isSet(loops.load(keptTile, {place})));
      weight = pair.broadcast(pair.evaluate(AttendProblem::yielded(op.getWeight())));
    }
    loops.store(weight, scoreTiles[0], {place});
    return Values{sum};
  })[0];
  loops.store(total, sums, {state});
}

//===-------------------------------------------- values ------------------------------------------------------===//

/// 4 rows x 4 vectors of values in registers, or fewer rows and more vectors: as equal parts of a row as can be.
int64_t AttendDecode::valueVectors() const {
  int64_t rows = 1;
  for (const RowTile &tile : rowTiles)
    rows = std::max(rows, tile.count);
  int64_t most = std::min<int64_t>(8, schedule.lanes / rows);
  int64_t whole = problem.values.isConstant() ? problem.values.constant() / schedule.lanes : 0;
  return whole ? whole / ((whole + most - 1) / most) : most;
}

void AttendDecode::accumulateValues(Value firstKey, Value count) {
  int64_t vectors = valueVectors(), width = vectors * schedule.lanes;
  Value zero = loops.constant(0);
  loops.loop(zero, count, loops.constant(keysOfSubBlock), [&](Value begin) {
    Value end = loops.min(count, loops.add(begin, keysOfSubBlock));
    auto tiles = [&](Value from, Value to, int64_t vectorsAtOnce) {
      loops.loop(from, to, loops.constant(vectorsAtOnce * schedule.lanes), [&](Value value) {
        for (const RowTile &tile : rowTiles)
          accumulateValueTile({tile, firstKey, count, begin, end, value, vectorsAtOnce});
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
    Lines ahead = tile.rows.first == 0 && !keptAlone ? linesAheadOfValues(tile, key) : Lines();
    for (int64_t vector = 0; vector < tile.vectors; ++vector)
      prefetch(ahead, 0, loops.add(tile.firstValue, vector * schedule.lanes));
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

} // namespace attnc
