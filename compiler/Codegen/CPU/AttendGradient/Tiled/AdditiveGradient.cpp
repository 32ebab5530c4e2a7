#include "compiler/Codegen/CPU/AttendGradient/Tiled/AdditiveGradient.h"
#include "compiler/Codegen/Kernels/Attend/AttendExp.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

static constexpr int64_t featuresAtOnce = SumOfTanhCode::featuresAtOnce;

AdditiveGradient::AdditiveGradient(const TiledContext &context, const AdditiveResults &results,
                                   const PartialSums &partial, const KeySplit &split, const GradientTiles &tiles,
                                   unsigned number)
    : TiledContext(context), tanh(context.problem.tanhs[number]), results(results), partial(partial), split(split),
      tiles(tiles.additive[number]), scores(tiles.scores[context.problem.dots.size() + number]),
      gradients(tiles.gradients[context.problem.dots.size() + number]), number(number),
      features(schedule.paddedTo(tanh.features)),
      alignedFeatures((tanh.features + featuresAtOnce - 1) / featuresAtOnce * featuresAtOnce) {}

/// A formula of a row, a key or the batch at a vector of features; zero past the last one.
Value AdditiveGradient::featuresAt(RegionVectoriser &at, Value first, Value formula) {
  results.bindFeatures(at, first);
  Value value = at.broadcast(at.evaluate(formula));
  return at.laneMask() ? loops.choose(at.laneMask(), value, loops.splat(0.0)) : value;
}

//===-------------------------------------------- once a batch ------------------------------------------------===//

void AdditiveGradient::start() {
  Value zero = loops.constant(0), none = loops.splat(0.0);
  scale = loops.splat(phase.scaleOf(attend.products[tanh.product]));
  scoreScale = attend.scoreIsProduct ? loops.mulf(scale, loops.splat(log2e)) : scale;
  Values sums = loops.loop(zero, loops.constant(features), loops.constant(schedule.lanes), {none, none},
                           [&](Value first, ValueRange before) {
                             RegionVectoriser at = *phase.batch;
                             Value value = featuresAt(at, first, tanh.coefficient);
                             loops.store(value, tiles.coefficients, ValueRange{first});
                             loops.store(none, tiles.termSums, ValueRange{first});
                             Value magnitude = math::AbsFOp::create(loops.builder, loops.location, value);
                             return Values{loops.addf(before[0], value), loops.addf(before[1], magnitude)};
                           });
  NormaliserCode lanes{loops, target};
  sumOfCoefficients = loops.splat(lanes.sumOfLanes(sums[0]));
  coefficientsInRange = code().isWithin(lanes.sumOfLanes(sums[1]), SumOfTanhCode::largestSum);
  phase.clearRun(tiles.coefficientSums, zero, loops.constant(features * schedule.lanes));
  loops.store(none, tiles.pairSum, ValueRange{zero});
}

void AdditiveGradient::finish() {
  if (!tanh.hasShared())
    return;
  NormaliserCode lanes{loops, target};
  Value total = lanes.sumOfLanes(loops.load(tiles.pairSum, ValueRange{loops.constant(0)}));
  Value sums = partial.additiveShared(number);
  Value part = split.number ? split.number : loops.constant(0);
  Value place = partial.additiveSharedRow(number, split.count, part, phase.batchChunk);
  loops.loop(loops.constant(0), loops.constant(features), loops.constant(1), [&](Value feature) {
    Value sum = lanes.sumOfLanes(loops.load(tiles.coefficientSums, ValueRange{loops.mul(feature, schedule.lanes)}));
    Value ofCoefficient = loops.subf(total, loops.addf(sum, sum));
    loops.storeScalar(ofCoefficient, sums, {loops.add(place, feature)});
    loops.storeScalar(loops.loadScalar(tiles.termSums, {feature}), sums,
                      {loops.add(loops.add(place, feature), features)});
  });
}

//===-------------------------------------------- terms and powers --------------------------------------------===//

/// [feature][key]; past the last key it is repeated.
void AdditiveGradient::packKeys(Value firstKey) {
  Value zero = loops.constant(0), lanes = loops.constant(schedule.lanes), last = loops.add(phase.keys, -1);
  phase.clearRun(tiles.keySums, zero, loops.constant(features * schedule.tileKv));
  auto pack = [&](Value key, ValueRange before) {
    std::vector<RegionVectoriser> points;
    for (int64_t lane = 0; lane < schedule.lanes; ++lane)
      points.push_back(phase.bindKey(loops.min(loops.add(loops.add(firstKey, key), lane), last)));
    return loops.loop(zero, loops.constant(features), lanes, before, [&](Value first, ValueRange so) {
      Values lines;
      for (RegionVectoriser at : points)
        lines.push_back(featuresAt(at, first, tanh.keyTerm));
      Value within = so[0];
      for (auto [feature, terms] : llvm::enumerate(loops.transpose(lines))) {
        Value place = loops.add(loops.mul(loops.add(first, feature), schedule.tileKv), key);
        within = loops.both(within, code().isWithin(terms, SumOfTanhCode::largestTerm));
        loops.store(terms, tiles.keyTerms, ValueRange{place});
        loops.store(code().power(terms), tiles.keyPowers, ValueRange{place});
      }
      return Values{within};
    });
  };
  Value within = loops.loop(zero, loops.constant(schedule.tileKv), lanes, {trueInAllLanes(loops)}, pack)[0];
  keysInRange = holdsInAllLanes(loops, within);
}

/// [row][feature]; finds whether the terms of the block are within the range of powers.
void AdditiveGradient::packRows(const PairBlock &block) {
  Value zero = loops.constant(0), lanes = loops.constant(schedule.lanes);
  auto pack = [&](Value row, ValueRange before) {
    RegionVectoriser point = phase.bindRow(loops.add(block.firstRow, row));
    return loops.loop(zero, loops.constant(features), lanes, before, [&](Value first, ValueRange so) {
      RegionVectoriser at = point;
      Value terms = featuresAt(at, first, tanh.rowTerm);
      Value place = loops.add(loops.mul(row, features), first);
      loops.store(terms, tiles.rowTerms, ValueRange{place});
      loops.store(code().power(terms), tiles.rowPowers, ValueRange{place});
      loops.store(loops.splat(0.0), tiles.rowSums, ValueRange{place});
      return Values{loops.both(so[0], code().isWithin(terms, SumOfTanhCode::largestTerm))};
    });
  };
  Value within = loops.loop(zero, block.rowCount, loops.constant(1), {trueInAllLanes(loops)}, pack)[0];
  inRange = loops.both(loops.both(keysInRange, coefficientsInRange), holdsInAllLanes(loops, within));
}

//===-------------------------------------------- scores ------------------------------------------------------===//

/// Four features of a row with a vector of keys: t by powers, otherwise the sums of terms.
LoopBuilder::Values AdditiveGradient::arguments(bool byPowers, Value rowPlace, Value feature, Value lane) {
  Values result;
  for (int64_t u = 0; u < featuresAtOnce; ++u) {
    Value ofRow = loops.splat(
        loops.loadScalar(byPowers ? tiles.rowPowers : tiles.rowTerms, {loops.add(loops.add(rowPlace, feature), u)}));
    Value keyPlace = loops.add(loops.mul(loops.add(feature, u), schedule.tileKv), lane);
    Value ofKey = loops.load(byPowers ? tiles.keyPowers : tiles.keyTerms, ValueRange{keyPlace});
    result.push_back(byPowers ? code().denominator(ofRow, ofKey) : loops.addf(ofRow, ofKey));
  }
  return result;
}

static Value tanhOf(LoopBuilder &loops, Value x) { return math::TanhOp::create(loops.builder, loops.location, x); }

void AdditiveGradient::computeScores(Value row, int64_t tileRows) {
  loops.branch(
      inRange, [&] { computeScoresBy(row, tileRows, /*byPowers=*/true); },
      [&] { computeScoresBy(row, tileRows, /*byPowers=*/false); });
}

void AdditiveGradient::computeScoresBy(Value row, int64_t tileRows, bool byPowers) {
  int64_t vectors = schedule.vectors;
  Value zero = loops.constant(0);
  loops.loop(zero, loops.constant(schedule.tileKv), loops.constant(schedule.panelLanes()), [&](Value firstLane) {
    auto add = [&](Value feature, ValueRange before) {
      Values next(before), coefficients;
      for (int64_t u = 0; u < featuresAtOnce; ++u)
        coefficients.push_back(loops.splat(loops.loadScalar(tiles.coefficients, {loops.add(feature, u)})));
      for (auto [cell, sum] : llvm::enumerate(next)) {
        Value place = loops.mul(loops.add(row, cell / vectors), features);
        Values x = arguments(byPowers, place, feature, loops.add(firstLane, at(cell % vectors)));
        if (byPowers)
          sum = code().addFractions(sum, x, coefficients);
        for (int64_t u = 0; !byPowers && u < featuresAtOnce; ++u)
          sum = loops.fma(coefficients[u], tanhOf(loops, x[u]), sum);
      }
      return next;
    };
    Values sums = loops.loop(zero, loops.constant(alignedFeatures), loops.constant(featuresAtOnce),
                             Values(tileRows * vectors, loops.splat(0.0)), add);
    for (auto [cell, sum] : llvm::enumerate(sums)) {
      Value lane = loops.add(firstLane, at(cell % vectors));
      Value score = byPowers ? loops.fma(sum, loops.splat(-2.0), sumOfCoefficients) : sum;
      loops.store(loops.mulf(score, scoreScale), scores, ValueRange{tileAt(loops.add(row, cell / vectors), lane)});
    }
  });
}

//===-------------------------------------------- sums --------------------------------------------------------===//

void AdditiveGradient::accumulate(const PairBlock &block) {
  loops.branch(
      inRange, [&] { accumulateBy(block, /*byPowers=*/true); }, [&] { accumulateBy(block, /*byPowers=*/false); });
  addRows(block);
}

/// The gradients of a vector of pairs.
Value AdditiveGradient::pairGradients(const PairBlock &block, Value row, Value lane) {
  Value gradient = loops.load(gradients, ValueRange{tileAt(row, lane)});
  return block.isWhole ? gradient
                       : loops.choose(loops.laneMask(loops.sub(block.keyCount, lane)), gradient, loops.splat(0.0));
}

void AdditiveGradient::accumulateBy(const PairBlock &block, bool byPowers) {
  int64_t keyVectors = schedule.tileKv / schedule.lanes;
  Value zero = loops.constant(0), one = loops.constant(1), none = loops.splat(0.0);
  Value total = loops.load(tiles.pairSum, ValueRange{zero});
  total = loops.loop(zero, block.rowCount, one, {total}, [&](Value row, ValueRange carried) {
    Value sum = carried[0];
    for (int64_t vector = 0; vector < keyVectors; ++vector)
      sum = loops.addf(sum, pairGradients(block, row, at(vector)));
    return Values{sum};
  })[0];
  loops.store(total, tiles.pairSum, ValueRange{zero});
  loops.loop(zero, loops.constant(alignedFeatures), loops.constant(featuresAtOnce), [&](Value feature) {
    Values sums;
    auto coefficientPlace = [&](int64_t u) { return loops.mul(loops.add(feature, u), schedule.lanes); };
    for (int64_t u = 0; u < featuresAtOnce; ++u)
      sums.push_back(loops.load(tiles.coefficientSums, ValueRange{coefficientPlace(u)}));
    sums = loops.loop(zero, block.rowCount, one, sums, [&](Value row, ValueRange carried) {
      Values ofCoefficients(carried), ofRow(featuresAtOnce, none);
      Value place = loops.mul(row, features);
      for (int64_t vector = 0; vector < keyVectors; ++vector)
        addPairs(byPowers, {place, feature, at(vector), pairGradients(block, row, at(vector))}, ofCoefficients, ofRow);
      addSums(ofRow, tiles.rowSums, loops.add(place, feature));
      return ofCoefficients;
    });
    for (auto [u, sum] : llvm::enumerate(sums))
      loops.store(sum, tiles.coefficientSums, ValueRange{coefficientPlace(u)});
  });
}

void AdditiveGradient::addPairs(bool byPowers, const Pairs &pairs, Values &ofCoefficients, Values &ofRow) {
  Values x = arguments(byPowers, pairs.rowPlace, pairs.feature, pairs.lane), inverses;
  if (byPowers)
    inverses = code().inverses(x);
  // A pair with the gradient 0 adds 0, even if its terms are not finite.
  Value zero = loops.splat(0.0);
  Value counts = byPowers ? Value() : loops.compare(arith::CmpFPredicate::UNE, pairs.gradient, zero);
  for (int64_t u = 0; u < featuresAtOnce; ++u) {
    Value r = byPowers
                  ? inverses[u]
                  : loops.choose(counts, loops.fma(tanhOf(loops, x[u]), loops.splat(-0.5), loops.splat(0.5)), zero);
    Value scaled = loops.mulf(pairs.gradient, r), slope = loops.subf(scaled, loops.mulf(scaled, r));
    ofCoefficients[u] = loops.addf(ofCoefficients[u], scaled);
    ofRow[u] = loops.addf(ofRow[u], slope);
    Value place = loops.add(loops.mul(loops.add(pairs.feature, u), schedule.tileKv), pairs.lane);
    loops.store(loops.addf(loops.load(tiles.keySums, ValueRange{place}), slope), tiles.keySums, ValueRange{place});
  }
}

/// Adds the sums of four vectors' lanes to four elements.
void AdditiveGradient::addSums(ValueRange vectors, Value memref, Value place) {
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

//===-------------------------------------------- gradients of terms ------------------------------------------===//

/// d score of the terms from vector `first` of features on: 4 c times the sum of g r (1 - r). It is 0 for a term
/// without pairs, even if c is not finite.
Value AdditiveGradient::termGradient(Value sum, Value first) {
  Value coefficient = loops.load(tiles.coefficients, ValueRange{first});
  Value zero = loops.splat(0.0), counts = loops.compare(arith::CmpFPredicate::UNE, sum, zero);
  return loops.choose(counts, loops.mulf(sum, loops.mulf(coefficient, loops.splat(4.0))), zero);
}

void AdditiveGradient::addRows(const PairBlock &block) {
  loops.loop(loops.constant(0), block.rowCount, loops.constant(1), [&](Value row) {
    Value rowNumber = loops.add(block.firstRow, row);
    RegionVectoriser point = phase.bindRow(rowNumber);
    loops.loop(loops.constant(0), loops.constant(features), loops.constant(schedule.lanes), [&](Value first) {
      Value sum = loops.load(tiles.rowSums, ValueRange{loops.add(loops.mul(row, features), first)});
      Value gradient = termGradient(sum, first);
      Value before = loops.load(tiles.termSums, ValueRange{first});
      loops.store(loops.addf(before, gradient), tiles.termSums, ValueRange{first});
      results.addRow(point, rowNumber, first, gradient);
    });
  });
}

void AdditiveGradient::addKeys(Value firstKey, Value keyCount) {
  if (tanh.keyLeaves.empty())
    return;
  Value zero = loops.constant(0), lanes = loops.constant(schedule.lanes);
  loops.loop(zero, keyCount, lanes, [&](Value key) {
    loops.loop(zero, loops.constant(features), lanes, [&](Value first) {
      Values lines;
      for (int64_t u = 0; u < schedule.lanes; ++u) {
        Value place = loops.add(loops.mul(loops.add(first, u), schedule.tileKv), key);
        lines.push_back(loops.load(tiles.keySums, ValueRange{place}));
      }
      for (auto [lane, sum] : llvm::enumerate(loops.transpose(lines))) {
        Value inBlock = loops.add(key, lane);
        loops.when(loops.less(inBlock, keyCount), [&, sum = sum] {
          results.add(tanh.keyLeaves, phase.bindKey(loops.add(firstKey, inBlock)), first, termGradient(sum, first));
        });
      }
    });
  });
}

} // namespace attnc
