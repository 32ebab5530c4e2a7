// Additive scores (SumOfTanh.h), keys in the lanes. With r = 1 / t and g = dS of a pair, both sums of a feature are of
//
//   c g dtanh = 4 c g r (1 - r)      over keys for the row's term, over rows for the key's,
//
// and the coefficient's is sum of g - 2 sum of g r over all pairs. A tile of four features has one division for each
// vector of keys. Blocks that powers cannot hold have r = (1 - tanh(a + b)) / 2.
#include "compiler/Codegen/CPU/AttendGradient/AttendGradient.h"
#include "compiler/Codegen/Kernels/Attend/AttendExp.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using attnc::SizeExpr;

namespace attnc {

static constexpr int64_t featuresAtOnce = SumOfTanhCode::featuresAtOnce;

int64_t AttendGradient::paddedFeatures(const GradientTanh &tanh) const {
  return vectorsOf(tanh.features) * schedule.lanes;
}

void AttendGradient::takeTanhTiles() {
  for (const GradientTanh &tanh : problem.tanhs) {
    int64_t features = paddedFeatures(tanh), rowFloats = features * schedule.tileQ,
            keyFloats = features * schedule.tileKv;
    TanhTiles &tiles = tanhTiles.emplace_back();
    tiles.rowTerms = scratch.take(1, rowFloats);
    tiles.rowPowers = scratch.take(1, rowFloats);
    tiles.keyTerms = scratch.take(1, keyFloats);
    tiles.keyPowers = scratch.take(1, keyFloats);
    tiles.coefficients = scratch.take(1, features);
    tiles.rowSums = scratch.take(1, rowFloats);
    tiles.keySums = scratch.take(1, keyFloats);
    tiles.coefficientSums = scratch.take(1, features * schedule.lanes);
    tiles.pairSum = scratch.take(1, schedule.lanes);
    tiles.termSums = scratch.take(1, features);
  }
}

static Value zeroOutside(LoopBuilder &loops, RegionVectoriser &at, Value value) {
  return at.laneMask() ? loops.choose(at.laneMask(), value, loops.splat(0.0)) : value;
}

/// A formula of a row, a key or the batch at vector `number` of its features; zero past the last one.
Value AttendGradient::featuresAt(const GradientTanh &tanh, RegionVectoriser &at, Value first, Value formula) {
  bindTanhFeatures(tanh, at, first);
  return zeroOutside(loops, at, at.broadcast(at.evaluate(formula)));
}

void AttendGradient::bindTanhFeatures(const GradientTanh &tanh, RegionVectoriser &at, Value first) {
  at.bindIndex(tanh.feature, first, 1);
  if (tanh.features % schedule.lanes != 0)
    at.setActiveLanes(loops.min(loops.constant(schedule.lanes), loops.sub(loops.constant(tanh.features), first)));
}

//===-------------------------------------------- once a batch ------------------------------------------------===//

/// Coefficients, scales, and zeros in what is summed over all pairs.
void AttendGradient::startTanhs() {
  Value zero = loops.constant(0), none = loops.splat(0.0);
  for (auto [tanh, tiles] : llvm::zip(problem.tanhs, tanhTiles)) {
    const PairReduction &product = attend.products[tanh.product];
    Value scale = loops.scalar(1.0);
    for (auto [factor, divides] : product.scales) {
      Value by = batch->evaluate(factor);
      scale = divides ? loops.divf(scale, by) : loops.mulf(scale, by);
    }
    tiles.scale = loops.splat(scale);
    tiles.scoreScale = attend.scoreIsProduct ? loops.mulf(tiles.scale, loops.splat(log2e)) : tiles.scale;
    Values sums = loops.loop(zero, loops.constant(paddedFeatures(tanh)), loops.constant(schedule.lanes), {none, none},
                             [&, &tanh = tanh, &tiles = tiles](Value first, ValueRange before) {
                               RegionVectoriser at = *batch;
                               Value value = featuresAt(tanh, at, first, tanh.coefficient);
                               loops.store(value, tiles.coefficients, ValueRange{first});
                               loops.store(none, tiles.termSums, ValueRange{first});
                               Value magnitude = math::AbsFOp::create(loops.builder, loops.location, value);
                               return Values{loops.addf(before[0], value), loops.addf(before[1], magnitude)};
                             });
    NormaliserCode code{loops, target};
    tiles.sumOfCoefficients = loops.splat(code.sumOfLanes(sums[0]));
    tiles.coefficientsInRange = tanhCode().isWithin(code.sumOfLanes(sums[1]), SumOfTanhCode::largestSum);
    clearRun(tiles.coefficientSums, zero, loops.constant(paddedFeatures(tanh) * schedule.lanes));
    loops.store(none, tiles.pairSum, ValueRange{zero});
  }
}

/// The sums over all pairs, behind those of earlier splits.
void AttendGradient::finishTanhs() {
  NormaliserCode code{loops, target};
  for (auto [number, tanh] : llvm::enumerate(problem.tanhs)) {
    if (!tanh.hasShared())
      continue;
    TanhTiles &tiles = tanhTiles[number];
    Value total = code.sumOfLanes(loops.load(tiles.pairSum, ValueRange{loops.constant(0)}));
    Value parts = sharedParts(number), place = sharedPart(number, split ? split : loops.constant(0), batchChunk);
    loops.loop(loops.constant(0), loops.constant(paddedFeatures(tanh)), loops.constant(1), [&](Value feature) {
      Value sum = code.sumOfLanes(loops.load(tiles.coefficientSums, ValueRange{loops.mul(feature, schedule.lanes)}));
      Value ofCoefficient = loops.subf(total, loops.addf(sum, sum));
      loops.storeScalar(ofCoefficient, parts, {loops.add(place, feature)});
      loops.storeScalar(loops.loadScalar(tiles.termSums, {feature}), parts,
                        {loops.add(loops.add(place, feature), paddedFeatures(tanh))});
    });
  }
}

//===-------------------------------------------- terms and powers --------------------------------------------===//

/// Terms and powers of a block's keys, [feature][key], and zeros in their sums; past the last key it is repeated.
void AttendGradient::packTanhKeys(Value firstKey) {
  Value zero = loops.constant(0), lanes = loops.constant(schedule.lanes), last = loops.add(keys, -1);
  for (auto [tanh, tiles] : llvm::zip(problem.tanhs, tanhTiles)) {
    clearRun(tiles.keySums, zero, loops.constant(paddedFeatures(tanh) * schedule.tileKv));
    auto pack = [&, &tanh = tanh, &tiles = tiles](Value key, ValueRange before) {
      std::vector<RegionVectoriser> points;
      for (int64_t lane = 0; lane < schedule.lanes; ++lane)
        points.push_back(bindKey(loops.min(loops.add(loops.add(firstKey, key), lane), last)));
      return loops.loop(zero, loops.constant(paddedFeatures(tanh)), lanes, before, [&](Value first, ValueRange so) {
        Values lines;
        for (RegionVectoriser at : points)
          lines.push_back(featuresAt(tanh, at, first, tanh.keyTerm));
        Value within = so[0];
        for (auto [feature, terms] : llvm::enumerate(loops.transpose(lines))) {
          Value place = loops.add(loops.mul(loops.add(first, feature), schedule.tileKv), key);
          within = loops.both(within, tanhCode().isWithin(terms, SumOfTanhCode::largestTerm));
          loops.store(terms, tiles.keyTerms, ValueRange{place});
          loops.store(tanhCode().power(terms), tiles.keyPowers, ValueRange{place});
        }
        return Values{within};
      });
    };
    Value within = loops.loop(zero, loops.constant(schedule.tileKv), lanes, {trueInAllLanes(loops)}, pack)[0];
    tiles.keysInRange = holdsInAllLanes(loops, within);
  }
}

/// Those of a block's rows, [row][feature], with zeros in their sums; whether all is within the range of powers.
void AttendGradient::packTanhRows(const Block &block) {
  Value zero = loops.constant(0), lanes = loops.constant(schedule.lanes);
  for (auto [tanh, tiles] : llvm::zip(problem.tanhs, tanhTiles)) {
    int64_t features = paddedFeatures(tanh);
    auto pack = [&, &tanh = tanh, &tiles = tiles](Value row, ValueRange before) {
      RegionVectoriser point = bindRow(loops.add(block.firstRow, row));
      return loops.loop(zero, loops.constant(features), lanes, before, [&](Value first, ValueRange so) {
        RegionVectoriser at = point;
        Value terms = featuresAt(tanh, at, first, tanh.rowTerm);
        Value place = loops.add(loops.mul(row, features), first);
        loops.store(terms, tiles.rowTerms, ValueRange{place});
        loops.store(tanhCode().power(terms), tiles.rowPowers, ValueRange{place});
        loops.store(loops.splat(0.0), tiles.rowSums, ValueRange{place});
        return Values{loops.both(so[0], tanhCode().isWithin(terms, SumOfTanhCode::largestTerm))};
      });
    };
    Value within = loops.loop(zero, block.rowCount, loops.constant(1), {trueInAllLanes(loops)}, pack)[0];
    tiles.inRange =
        loops.both(loops.both(tiles.keysInRange, tiles.coefficientsInRange), holdsInAllLanes(loops, within));
  }
}

//===-------------------------------------------- pairs -------------------------------------------------------===//

/// Four features of a row with a vector of keys: t by powers, otherwise the sums of terms.
LoopBuilder::Values AttendGradient::tanhArguments(const TanhTiles &tiles, bool byPowers, Value rowPlace, Value feature,
                                                  Value lane) {
  Values arguments;
  for (int64_t u = 0; u < featuresAtOnce; ++u) {
    Value ofRow = loops.splat(
        loops.loadScalar(byPowers ? tiles.rowPowers : tiles.rowTerms, {loops.add(loops.add(rowPlace, feature), u)}));
    Value keyPlace = loops.add(loops.mul(loops.add(feature, u), schedule.tileKv), lane);
    Value ofKey = loops.load(byPowers ? tiles.keyPowers : tiles.keyTerms, ValueRange{keyPlace});
    arguments.push_back(byPowers ? tanhCode().denominator(ofRow, ofKey) : loops.addf(ofRow, ofKey));
  }
  return arguments;
}

static Value tanhOf(LoopBuilder &loops, Value x) { return math::TanhOp::create(loops.builder, loops.location, x); }

/// The products of a tile of rows with all keys of a block.
void AttendGradient::sumTanhs(unsigned number, Value row, int64_t tileRows) {
  const TanhTiles &tiles = tanhTiles[number];
  loops.branch(
      tiles.inRange, [&] { sumTanhsBy(number, row, tileRows, /*byPowers=*/true); },
      [&] { sumTanhsBy(number, row, tileRows, /*byPowers=*/false); });
}

void AttendGradient::sumTanhsBy(unsigned number, Value row, int64_t tileRows, bool byPowers) {
  const TanhTiles &tiles = tanhTiles[number];
  int64_t features = paddedFeatures(problem.tanhs[number]), vectors = schedule.vectors;
  Value zero = loops.constant(0), tile = scoreTiles[problem.dots.size() + number];
  loops.loop(zero, loops.constant(schedule.tileKv), loops.constant(schedule.panelLanes()), [&](Value firstLane) {
    auto add = [&](Value feature, ValueRange before) {
      Values next(before), coefficients;
      for (int64_t u = 0; u < featuresAtOnce; ++u)
        coefficients.push_back(loops.splat(loops.loadScalar(tiles.coefficients, {loops.add(feature, u)})));
      for (auto [cell, sum] : llvm::enumerate(next)) {
        Value place = loops.mul(loops.add(row, cell / vectors), features);
        Values x = tanhArguments(tiles, byPowers, place, feature, loops.add(firstLane, at(cell % vectors)));
        if (byPowers)
          sum = tanhCode().addFractions(sum, x, coefficients);
        for (int64_t u = 0; !byPowers && u < featuresAtOnce; ++u)
          sum = loops.fma(coefficients[u], tanhOf(loops, x[u]), sum);
      }
      return next;
    };
    Values sums = loops.loop(zero, loops.constant(alignedFeatures(number)), loops.constant(featuresAtOnce),
                             Values(tileRows * vectors, loops.splat(0.0)), add);
    for (auto [cell, sum] : llvm::enumerate(sums)) {
      Value lane = loops.add(firstLane, at(cell % vectors));
      Value score = byPowers ? loops.fma(sum, loops.splat(-2.0), tiles.sumOfCoefficients) : sum;
      loops.store(loops.mulf(score, tiles.scoreScale), tile, ValueRange{tileAt(loops.add(row, cell / vectors), lane)});
    }
  });
}

/// What a block adds to the sums of its terms, and takes these of its rows to the results.
void AttendGradient::accumulateTanhs(const Block &block) {
  for (auto [number, tanh] : llvm::enumerate(problem.tanhs)) {
    loops.branch(
        tanhTiles[number].inRange, [&] { accumulateTanhsBy(number, block, /*byPowers=*/true); },
        [&] { accumulateTanhsBy(number, block, /*byPowers=*/false); });
    addRowSums(number, block);
  }
}

/// The gradients of a vector of pairs.
Value AttendGradient::pairGradients(unsigned number, const Block &block, Value row, Value lane) {
  Value gradient = loops.load(gradientTiles[problem.dots.size() + number], ValueRange{tileAt(row, lane)});
  return block.isWhole ? gradient
                       : loops.choose(loops.laneMask(loops.sub(block.keyCount, lane)), gradient, loops.splat(0.0));
}

void AttendGradient::accumulateTanhsBy(unsigned number, const Block &block, bool byPowers) {
  const TanhTiles &tiles = tanhTiles[number];
  int64_t features = paddedFeatures(problem.tanhs[number]);
  Value zero = loops.constant(0), one = loops.constant(1), none = loops.splat(0.0);
  Value total = loops.load(tiles.pairSum, ValueRange{zero});
  total = loops.loop(zero, block.rowCount, one, {total}, [&](Value row, ValueRange carried) {
    Value sum = carried[0];
    for (int64_t vector = 0; vector < keyVectors(); ++vector)
      sum = loops.addf(sum, pairGradients(number, block, row, at(vector)));
    return Values{sum};
  })[0];
  loops.store(total, tiles.pairSum, ValueRange{zero});
  loops.loop(zero, loops.constant(alignedFeatures(number)), loops.constant(featuresAtOnce), [&](Value feature) {
    Values sums;
    auto coefficientPlace = [&](int64_t u) { return loops.mul(loops.add(feature, u), schedule.lanes); };
    for (int64_t u = 0; u < featuresAtOnce; ++u)
      sums.push_back(loops.load(tiles.coefficientSums, ValueRange{coefficientPlace(u)}));
    sums = loops.loop(zero, block.rowCount, one, sums, [&](Value row, ValueRange carried) {
      Values ofCoefficients(carried), ofRow(featuresAtOnce, none);
      Value place = loops.mul(row, features);
      for (int64_t vector = 0; vector < keyVectors(); ++vector)
        addTanhGradients(number, byPowers, {place, feature, at(vector), pairGradients(number, block, row, at(vector))},
                         ofCoefficients, ofRow);
      storeSums(ofRow, tiles.rowSums, loops.add(place, feature));
      return ofCoefficients;
    });
    for (auto [u, sum] : llvm::enumerate(sums))
      loops.store(sum, tiles.coefficientSums, ValueRange{coefficientPlace(u)});
  });
}

void AttendGradient::addTanhGradients(unsigned number, bool byPowers, const TanhPairs &pairs, Values &ofCoefficients,
                                      Values &ofRow) {
  const TanhTiles &tiles = tanhTiles[number];
  Values x = tanhArguments(tiles, byPowers, pairs.rowPlace, pairs.feature, pairs.lane), inverses;
  if (byPowers)
    inverses = tanhCode().inverses(x);
  // A pair whose gradient is 0 adds none, whatever its terms are.
  Value zero = loops.splat(0.0);
  Value counts = byPowers ? Value() : loops.compare(arith::CmpFPredicate::UNE, pairs.gradient, zero);
  for (int64_t u = 0; u < featuresAtOnce; ++u) {
    Value r = byPowers
                  ? inverses[u]
                  : loops.choose(counts, loops.fma(tanhOf(loops, x[u]), loops.splat(-0.5), loops.splat(0.5)), zero);
    Value taken = loops.mulf(pairs.gradient, r), slope = loops.subf(taken, loops.mulf(taken, r));
    ofCoefficients[u] = loops.addf(ofCoefficients[u], taken);
    ofRow[u] = loops.addf(ofRow[u], slope);
    Value place = loops.add(loops.mul(loops.add(pairs.feature, u), schedule.tileKv), pairs.lane);
    loops.store(loops.addf(loops.load(tiles.keySums, ValueRange{place}), slope), tiles.keySums, ValueRange{place});
  }
}

/// Adds the sums of four vectors' lanes to four elements.
void AttendGradient::storeSums(ValueRange vectors, Value memref, Value place) {
  OpBuilder &builder = loops.builder;
  SmallVector<int64_t> even, odd;
  for (int64_t lane = 0; lane < schedule.lanes; ++lane) {
    even.push_back(2 * lane);
    odd.push_back(2 * lane + 1);
  }
  auto halve = [&](Value a, Value b) {
    return loops.addf(vector::ShuffleOp::create(builder, loops.location, a, b, even),
                      vector::ShuffleOp::create(builder, loops.location, a, b, odd));
  };
  Value sums = halve(halve(vectors[0], vectors[1]), halve(vectors[2], vectors[3]));
  for (int64_t left = schedule.lanes / 4; left > 1; left /= 2)
    sums = halve(sums, sums);
  auto four = VectorType::get({featuresAtOnce}, builder.getF32Type());
  Value before = vector::LoadOp::create(builder, loops.location, four, memref, ValueRange{place});
  Value first = vector::ShuffleOp::create(builder, loops.location, sums, sums, ArrayRef<int64_t>{0, 1, 2, 3});
  vector::StoreOp::create(builder, loops.location, loops.addf(before, first), memref, ValueRange{place});
}

//===-------------------------------------------- to the results ----------------------------------------------===//

/// d score of the terms from vector `first` of features on: 4 c times the sum of g r (1 - r). Of terms without pairs it
/// is 0, whatever c is.
Value AttendGradient::termGradient(const TanhTiles &tiles, Value sum, Value first) {
  Value coefficient = loops.load(tiles.coefficients, ValueRange{first});
  Value zero = loops.splat(0.0), counts = loops.compare(arith::CmpFPredicate::UNE, sum, zero);
  return loops.choose(counts, loops.mulf(sum, loops.mulf(coefficient, loops.splat(4.0))), zero);
}

void AttendGradient::addTermGradient(const GradientTanh &tanh, const std::vector<GradientScope::Leaf> &leaves,
                                     RegionVectoriser at, Value first, Value gradient) {
  bindTanhFeatures(tanh, at, first);
  Value zero = loops.splat(0.0), counts = loops.compare(arith::CmpFPredicate::UNE, gradient, zero);
  for (const GradientScope::Leaf &leaf : leaves) {
    Value partial = at.broadcast(at.evaluate(leaf.partial));
    addGradient(leaf.result, leaf.extract, at, loops.choose(counts, loops.mulf(gradient, partial), zero));
  }
}

void AttendGradient::addRowSums(unsigned number, const Block &block) {
  const GradientTanh &tanh = problem.tanhs[number];
  const TanhTiles &tiles = tanhTiles[number];
  int64_t features = paddedFeatures(tanh);
  loops.loop(loops.constant(0), block.rowCount, loops.constant(1), [&](Value row) {
    Value rowNumber = loops.add(block.firstRow, row);
    RegionVectoriser point = bindRow(rowNumber);
    loops.loop(loops.constant(0), loops.constant(features), loops.constant(schedule.lanes), [&](Value first) {
      Value sum = loops.load(tiles.rowSums, ValueRange{loops.add(loops.mul(row, features), first)});
      Value gradient = termGradient(tiles, sum, first);
      Value before = loops.load(tiles.termSums, ValueRange{first});
      loops.store(loops.addf(before, gradient), tiles.termSums, ValueRange{first});
      if (tanh.rowLeaves.empty())
        return;
      if (!split)
        return addTermGradient(tanh, tanh.rowLeaves, point, first, gradient);
      Value place = loops.add(rowPart(number, split, rowNumber), first), parts = rowParts(number);
      loops.store(loops.addf(loops.load(parts, ValueRange{place}), gradient), parts, ValueRange{place});
    });
  });
}

/// Those of a block of keys, once all rows have added theirs.
void AttendGradient::addKeySums(Value firstKey, Value keyCount) {
  Value zero = loops.constant(0), lanes = loops.constant(schedule.lanes);
  for (auto [tanh, tiles] : llvm::zip(problem.tanhs, tanhTiles)) {
    if (tanh.keyLeaves.empty())
      continue;
    loops.loop(zero, keyCount, lanes, [&, &tanh = tanh, &tiles = tiles](Value key) {
      loops.loop(zero, loops.constant(paddedFeatures(tanh)), lanes, [&](Value first) {
        Values lines;
        for (int64_t u = 0; u < schedule.lanes; ++u) {
          Value place = loops.add(loops.mul(loops.add(first, u), schedule.tileKv), key);
          lines.push_back(loops.load(tiles.keySums, ValueRange{place}));
        }
        for (auto [lane, sum] : llvm::enumerate(loops.transpose(lines))) {
          Value inBlock = loops.add(key, lane);
          loops.when(loops.less(inBlock, keyCount), [&, sum = sum] {
            addTermGradient(tanh, tanh.keyLeaves, bindKey(loops.add(firstKey, inBlock)), first,
                            termGradient(tiles, sum, first));
          });
        }
      });
    });
  }
}

//===-------------------------------------------- parts in shared scratch -------------------------------------===//

SizeExpr AttendGradient::rowPartFloats(const GradientTanh &tanh) const {
  if (tanh.rowLeaves.empty() || !problem.splitsKeys)
    return 0;
  return chunks() * splits() * batchesOfChunk() * attend.rows * SizeExpr(paddedFeatures(tanh));
}

SizeExpr AttendGradient::sharedPartFloats(const GradientTanh &tanh) const {
  return tanh.hasShared() ? chunks() * splits() * batchesOfChunk() * SizeExpr(2 * paddedFeatures(tanh)) : SizeExpr(0);
}

/// Behind the parts of dot products; `ofRows` first.
Value AttendGradient::tanhParts(unsigned number, bool ofRows) {
  SizeExpr before = 0;
  for (const GradientDot &dot : problem.dots)
    before = before + partFloats(dot);
  for (const GradientTanh &tanh : ArrayRef(problem.tanhs).take_front(number))
    before = before + rowPartFloats(tanh) + sharedPartFloats(tanh);
  const GradientTanh &tanh = problem.tanhs[number];
  if (!ofRows)
    before = before + rowPartFloats(tanh);
  SizeExpr floats = ofRows ? rowPartFloats(tanh) : sharedPartFloats(tanh);
  auto type = MemRefType::get({ShapedType::kDynamic}, frame.builder.getF32Type());
  return frame.shared(frame.size(before * SizeExpr(4)), type, frame.size(floats));
}

Value AttendGradient::rowPart(unsigned number, Value part, Value row) {
  Value batches = frame.size(batchesOfChunk()), count = splitCount ? splitCount : loops.constant(1);
  Value place = loops.linearise({batchChunk, part, batchOfChunk, row}, {batchChunk, count, batches, rows});
  return loops.mul(place, paddedFeatures(problem.tanhs[number]));
}

Value AttendGradient::sharedPart(unsigned number, Value part, Value chunk) {
  Value batches = frame.size(batchesOfChunk()), count = splitCount ? splitCount : loops.constant(1);
  Value place = loops.linearise({chunk, part, batchOfChunk}, {chunk, count, batches});
  return loops.mul(place, 2 * paddedFeatures(problem.tanhs[number]));
}

/// Zeros in this split's sums of rows.
void AttendGradient::clearTanhParts() {
  for (auto [number, tanh] : llvm::enumerate(problem.tanhs)) {
    if (tanh.rowLeaves.empty())
      continue;
    Value floats = loops.mul(loops.mul(frame.size(batchesOfChunk()), rows), paddedFeatures(tanh));
    Value begin = loops.mul(loops.linearise({batchChunk, split}, {batchChunk, splitCount}), floats);
    clearRun(rowParts(number), begin, loops.add(begin, floats));
  }
}

/// Adds the splits' sums of rows to the results, in order.
void AttendGradient::mergeTanhRows() {
  Value zero = loops.constant(0), one = loops.constant(1);
  for (auto [number, tanh] : llvm::enumerate(problem.tanhs)) {
    if (tanh.rowLeaves.empty())
      continue;
    Value parts = rowParts(number);
    loops.loop(zero, rows, one, [&, number = number, &tanh = tanh](Value row) {
      loops.loop(zero, loops.constant(paddedFeatures(tanh)), loops.constant(schedule.lanes), [&](Value first) {
        Value sum = loops.loop(zero, splitCount, one, {loops.splat(0.0)}, [&](Value part, ValueRange carried) {
          Value place = loops.add(rowPart(number, part, row), first);
          return Values{loops.addf(carried[0], loops.load(parts, ValueRange{place}))};
        })[0];
        addTermGradient(tanh, tanh.rowLeaves, bindRow(row), first, sum);
      });
    });
  }
}

/// Adds what all chunks and splits have summed over pairs to the results that they share, in order.
void AttendGradient::emitShared() {
  splitCount = frame.size(splits());
  Value zero = loops.constant(0), one = loops.constant(1);
  loops.loop(zero, frame.size(chunks()), one, [&](Value chunk) {
    openChunk(chunk);
    forEachBatch([&] {
      for (auto [number, tanh] : llvm::enumerate(problem.tanhs)) {
        if (!tanh.hasShared())
          continue;
        Value parts = sharedParts(number);
        loops.loop(zero, splitCount, one, [&, number = number, &tanh = tanh](Value part) {
          Value place = sharedPart(number, part, chunk);
          loops.loop(zero, loops.constant(paddedFeatures(tanh)), loops.constant(schedule.lanes), [&](Value first) {
            Value from = loops.add(place, first);
            addTermGradient(tanh, tanh.coefficientLeaves, *batch, first, loops.load(parts, ValueRange{from}));
            addTermGradient(tanh, tanh.sharedLeaves, *batch, first,
                            loops.load(parts, ValueRange{loops.add(from, paddedFeatures(tanh))}));
          });
        });
      }
    });
  });
}

} // namespace attnc
