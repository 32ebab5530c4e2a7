#include "compiler/Codegen/CPU/Attend/AttendPrefill.h"
#include "compiler/Codegen/DataSubscripts.h"
#include <limits>

using namespace mlir;

namespace attnc {

/// Terms of a dot product that one turn of the innermost loop adds.
static constexpr int64_t featuresAtOnce = 2;
/// Keys of a register tile of tanhs.
static constexpr int64_t tanhTileRows = 4;

static void bindFeatures(const PairReduction &product, RegionVectoriser &to, ValueRange features) {
  attn::ReduceOp op = product.op;
  for (auto [argument, feature] : llvm::zip(op.getBody().getArguments(), features))
    to.bindIndex(argument, feature);
}

static LoopBuilder::Values featureSizes(KernelFrame &frame, const PairReduction &product) {
  LoopBuilder::Values sizes;
  for (Value size : attn::ReduceOp(product.op).getSizes())
    sizes.push_back(frame.index(size));
  return sizes;
}

//===-------------------------------------------- products ----------------------------------------------------===//

/// Few rows where a term takes many registers and operations.
int64_t AttendPrefill::tileRowsOf(const PairReduction &product) {
  if (product.isDot)
    return schedule.tileRows;
  unsigned operations = 0;
  attn::ReduceOp(product.op).walk([&](Operation *inner) {
    bool isHeavy = inner->getDialect()->getNamespace() == "math" || isa<attn::ReduceOp>(inner);
    operations += isHeavy ? 8 : 1;
  });
  return operations <= 10 ? schedule.tileRows / 2 : 2;
}

void AttendPrefill::computeProduct(unsigned number, Value firstKey, Value count) {
  auto compute = [&](bool byPowers) {
    computeAllTiles(number, firstKey, count, byPowers);
    return Values();
  };
  if (!problem.products[number].tanhs) {
    compute(false);
    return;
  }
  Value inRange = packTanhKeys(number, firstKey, count);
  loops.select(
      inRange, {}, [&] { return compute(true); }, [&] { return compute(false); });
}

void AttendPrefill::computeAllTiles(unsigned number, Value firstKey, Value count, bool byPowers) {
  int64_t tileRows = byPowers ? tanhTileRows : tileRowsOf(problem.products[number]);
  Value zero = loops.constant(0), enough = loops.less(count, loops.constant(tileRows));
  KeyTile tile{firstKey, count, zero, 1, 0, byPowers};
  auto wholeTiles = [&] {
    computeProductTiles(number, tile, tileRows);
    return Values();
  };
  auto singleRows = [&] {
    loops.loop(zero, count, loops.constant(1), [&](Value row) {
      tile.row = row;
      computeProductTile(number, tile);
    });
    return Values();
  };
  auto fewRows = [&] {
    if (tileRows < 2 * fewKeys)
      return singleRows();
    return loops.select(loops.less(count, loops.constant(fewKeys)), {}, singleRows, [&] {
      computeProductTiles(number, tile, fewKeys);
      return Values();
    });
  };
  loops.select(enough, {}, fewRows, wholeTiles);
}

/// The last tile begins early where the rows do not divide the keys: no key past the end is read.
void AttendPrefill::computeProductTiles(unsigned number, const KeyTile &of, int64_t tileRows) {
  Value zero = loops.constant(0), begin = zero;
  for (auto [vector, end] : llvm::enumerate(liveEnds(of.firstKey, of.count))) {
    Value last = loops.max(zero, loops.add(end, -tileRows));
    loops.loop(begin, end, loops.constant(tileRows), [&, vector = vector](Value row) {
      KeyTile tile{of.firstKey, of.count, loops.min(row, last), tileRows, int64_t(vector), of.byPowers};
      loops.when(isLastBlock, [&] { prefetchRows(number, tile); });
      computeProductTile(number, tile);
    });
    begin = end;
  }
}

void AttendPrefill::computeProductTile(unsigned number, const KeyTile &tile) {
  const PairReduction &product = problem.products[number];
  attn::ReduceOp op = product.op;
  int64_t vectors = schedule.vectors - tile.firstVector;
  Value neutral =
      loops.splat(neutralElement(loops.builder, loops.location, op.getCombine(), loops.builder.getF32Type()));
  // No rows of queries are scaled where they have no elements: then it is the sum, 0, that is.
  if (product.isDot && !product.scales.empty()) {
    Value features = loops.constant(1);
    for (Value size : featureSizes(frame, product))
      features = loops.mul(features, size);
    if (auto known = LoopBuilder::constantOf(features); !known || *known == 0) {
      Value isNone = loops.compare(arith::CmpIPredicate::eq, features, loops.constant(0));
      neutral = arith::SelectOp::create(loops.builder, loops.location, isNone,
                                        loops.mulf(neutral, productScales[number]), neutral);
    }
  }
  Values start(tile.rows * vectors, neutral);
  Values sums = tile.byPowers ? sumFractions(number, tile, start) : sumTerms(number, tile, start);
  for (int64_t live = 0; live < vectors; ++live) {
    int64_t vector = tile.firstVector + live;
    Value largest = keepsMaxima() ? loadTile(blockMaxima, vector) : Value();
    for (int64_t i = 0; i < tile.rows; ++i) {
      Value sum = sums[i * vectors + live];
      if (tile.byPowers)
        sum = loops.fma(sum, loops.splat(-2.0), tanhTiles[number].sumOfCoefficients);
      if (!product.isDot)
        sum = loops.mulf(sum, productScales[number]);
      storeTile(sum, scoreTiles[number], vector, tile.row, i);
      if (largest)
        largest = loops.maxKeepingFirst(largest, sum);
    }
    if (largest)
      storeTile(largest, blockMaxima, vector);
  }
}

/// The terms of all features, added to `sums`, [key][vector].
LoopBuilder::Values AttendPrefill::sumTerms(unsigned number, const KeyTile &tile, Values sums) {
  const PairReduction &product = problem.products[number];
  std::vector<std::vector<RegionVectoriser>> cells;
  for (int64_t i = 0; i < tile.rows; ++i) {
    Value key = loops.add(loops.add(tile.firstKey, tile.row), i);
    auto &cell = cells.emplace_back();
    if (product.isDot)
      cell.push_back(bindKey(batch, key));
    for (int64_t vector = tile.firstVector; !product.isDot && vector < schedule.vectors; ++vector)
      cell.push_back(bindKey(rowVectors[vector], key));
  }
  Values sizes = featureSizes(frame, product);
  auto add = [&](ValueRange features, ValueRange carried) {
    return accumulateTerms(number, cells, tile.firstVector, features, carried);
  };
  auto knownSize = sizes.size() == 1 ? LoopBuilder::constantOf(sizes[0]) : std::nullopt;
  bool isInLines = product.isDot && sizes.size() == 1, isLong = isInLines && knownSize && *knownSize >= lineFloats;
  if (number == 0 && !isLong)
    prefetchPairs(tile, loops.constant(0), 1);
  if (!isInLines)
    return loops.nest(sizes, sums, add);
  // Line by line, so that the lines read later are asked for in step with the multiplications.
  Value zero = loops.constant(0), one = loops.constant(1), line = loops.constant(lineFloats);
  Value lines = loops.mul(loops.div(sizes[0], line), lineFloats);
  sums = loops.loop(zero, lines, line, sums, [&](Value first, ValueRange before) {
    prefetchKeys(product, tile, first);
    if (number == 0 && isLong)
      prefetchPairs(tile, loops.div(first, line), *knownSize / lineFloats);
    Value end = loops.add(first, lineFloats);
    return loops.loop(first, end, loops.constant(featuresAtOnce), before, [&](Value feature, ValueRange carried) {
      Values next(carried);
      for (int64_t i = 0; i < featuresAtOnce; ++i)
        next = add({loops.add(feature, i)}, next);
      return next;
    });
  });
  if (knownSize && *knownSize % lineFloats == 0)
    return sums;
  return loops.loop(lines, sizes[0], one, sums,
                    [&](Value feature, ValueRange carried) { return add(feature, carried); });
}

/// Asks for the line of `feature` of the next tile's keys, into the nearest cache, and of the next block's, into the
/// second one.
void AttendPrefill::prefetchKeys(const PairReduction &product, const KeyTile &tile, Value feature) {
  attn::ReduceOp op = product.op;
  BlockArgument index = op.getBody().getArgument(0);
  IndexUses uses(problem.op);
  SmallVector<tensor::ExtractOp> extracts(op.getBody().getOps<tensor::ExtractOp>());
  for (tensor::ExtractOp extract : extracts) {
    if (!(uses.of(extract) & IndexUses::anyKey) || !IndexUses::stepsWith(extract, index))
      continue;
    for (int64_t i = 0; i < tile.rows; ++i)
      for (auto [distance, locality] : {std::pair(loops.constant(tile.rows), 3u), {tile.count, 2u}}) {
        Value key = loops.add(loops.add(tile.firstKey, tile.row), i);
        RegionVectoriser later = bindKey(batch, loops.add(key, distance));
        later.bindIndex(index, feature);
        loops.prefetch(frame.buffer(extract.getTensor()), subscriptsOf(later, extract), locality);
      }
  }
}

LoopBuilder::Values AttendPrefill::accumulateTerms(unsigned number, ArrayRef<std::vector<RegionVectoriser>> cells,
                                                   int64_t firstVector, ValueRange features, ValueRange carried) {
  const PairReduction &product = problem.products[number];
  attn::ReduceOp op = product.op;
  Value feature = loops.linearise(features, featureSizes(frame, product));
  SmallVector<Values> packed(rowTiles[number].size());
  for (auto [tile, vectors] : llvm::zip(rowTiles[number], packed))
    for (int64_t vector = firstVector; vector < schedule.vectors; ++vector)
      vectors.push_back(loadTile(tile, vector, feature));
  Values next;
  for (auto [i, cell] : llvm::enumerate(cells)) {
    if (product.isDot) {
      RegionVectoriser key = cell[0];
      bindFeatures(product, key, features);
      Value factor = loops.splat(key.evaluate(product.keyFactor));
      for (Value row : packed[0])
        next.push_back(loops.fma(factor, row, carried[next.size()]));
      continue;
    }
    for (auto [live, of] : llvm::enumerate(cell)) {
      RegionVectoriser pair = of;
      bindFeatures(product, pair, features);
      for (auto [extract, vectors] : llvm::zip(product.rowExtracts, packed))
        pair.bindValue(extract->getResult(0), vectors[live]);
      Value term = loops.splat(pair.evaluate(AttendProblem::yielded(op.getBody())));
      next.push_back(combine(loops.builder, loops.location, op.getCombine(), carried[next.size()], term));
    }
  }
  return next;
}

//===-------------------------------------------- scores ------------------------------------------------------===//

/// The formula of one key and one vector of queries; products are not bound.
RegionVectoriser AttendPrefill::bindPair(int64_t vector, Value firstKey, Value key) {
  RegionVectoriser pair = bindKey(rowVectors[vector], loops.add(firstKey, key));
  bindPairTiles(pair, at(vector), key);
  return pair;
}

/// The score as the normaliser takes it, -inf or what it wants where it is dropped. Notes which pairs are kept.
Value AttendPrefill::scoreOf(RegionVectoriser &pair, Value vector, Value key, bool masked) {
  attn::AttendOp op = problem.op;
  for (auto [product, tile] : llvm::zip(problem.products, scoreTiles))
    pair.bindValue(product.head, loops.load(tile, {loops.add(tileAt(key, 0, 0), vector)}));
  Value score = pair.broadcast(pair.evaluate(AttendProblem::yielded(op.getScore())));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (double scale = problem.normaliser->scoreScale(); scale != 1 && !problem.scoreIsProduct)
    score = loops.mulf(score, loops.splat(scale));
  if (masked) {
    Value keeps = loops.splat(pair.evaluate(AttendProblem::yielded(op.getMask())));
    score = loops.choose(keeps, score, loops.splat(-infinity));
  }
  Value kept = loops.compare(arith::CmpFPredicate::UNE, score, loops.splat(-infinity));
  if (dropsPairs())
    loops.storeFlags(kept, keptTile, {keptAt(key, vector)});
  double dropped = problem.normaliser->droppedScore();
  return dropped == -infinity ? score : loops.choose(kept, score, loops.splat(dropped));
}

/// Where the product is the score, its tiles find the largest ones while they are in registers.
bool AttendPrefill::keepsMaxima() const { return problem.scoreIsProduct && problem.normaliser->usesMaximum(); }

/// Whether a value, or a weight that is asked for, may be that of a pair that is masked, or whose score is -inf.
bool AttendPrefill::dropsPairs() const {
  bool counts = problem.hasValue() || problem.hasWeight() || problem.needsFinalWeights() || problem.yieldsTop();
  return counts && (problem.hasMask() || !dropsByMaskAlone());
}

/// No score is -inf but by the mask.
bool AttendPrefill::dropsByMaskAlone() const {
  return keepsMaxima() || (problem.scoreIsBounded && problem.normaliser->usesMaximum());
}

LoopBuilder::Values AttendPrefill::computeScores(Value firstKey, Value count, bool masked) {
  Value zero = loops.constant(0);
  Values largest;
  bool isDone = keepsMaxima() && !masked;
  if (problem.normaliser->usesMaximum())
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      largest.push_back(loadTile(isDone ? blockMaxima : maxima, vector));
  if (isDone)
    return largest;
  if (hasBias())
    return computeBiasedScores(firstKey, count, masked);
  return loops.loop(zero, count, loops.constant(1), largest, [&](Value key, ValueRange carried) {
    Values next;
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      RegionVectoriser pair = bindPair(vector, firstKey, key);
      Value score = scoreOf(pair, at(vector), key, masked);
      storeTile(score, scoreTiles[0], vector, key);
      if (problem.normaliser->usesMaximum())
        next.push_back(loops.maxKeepingFirst(carried[vector], score));
    }
    return next;
  });
}

/// The same with biases, which are brought square by square: their lines are read across on the way.
LoopBuilder::Values AttendPrefill::computeBiasedScores(Value firstKey, Value count, bool masked) {
  Value zero = loops.constant(0), one = loops.constant(1), lanes = loops.constant(schedule.lanes);
  Value whole = loops.mul(loops.div(count, lanes), schedule.lanes);
  forEachVector([&](Value vector) {
    RegionVectoriser row = bindRowVector(vector);
    std::vector<RegionVectoriser> lines = bindLanes(vector);
    auto addKey = [&](RegionVectoriser pair, Value key, Value largest) {
      bindPairTiles(pair, vector, key);
      Value score = scoreOf(pair, vector, key, masked);
      loops.store(score, scoreTiles[0], {loops.add(tileAt(key, 0, 0), vector)});
      return problem.normaliser->usesMaximum() ? loops.maxKeepingFirst(largest, score) : largest;
    };
    Values largest = {loops.load(maxima, {vector})};
    largest = loops.loop(zero, whole, lanes, largest, [&](Value first, ValueRange carried) {
      std::vector<RegionVectoriser> pairs;
      for (int64_t key = 0; key < schedule.lanes; ++key)
        pairs.push_back(bindKey(row, loops.add(loops.add(firstKey, first), key)));
      bindBiases(lines, loops.add(firstKey, first), pairs);
      Value most = carried[0];
      for (auto [key, pair] : llvm::enumerate(pairs))
        most = addKey(pair, loops.add(first, key), most);
      return Values{most};
    });
    largest = loops.loop(whole, count, one, largest, [&](Value key, ValueRange carried) {
      return Values{addKey(bindKey(row, loops.add(firstKey, key)), key, carried[0])};
    });
    loops.store(largest[0], blockMaxima, {vector});
  });
  Values largest;
  for (int64_t vector = 0; problem.normaliser->usesMaximum() && vector < schedule.vectors; ++vector)
    largest.push_back(loadTile(blockMaxima, vector));
  return largest;
}

//===-------------------------------------------- weights -----------------------------------------------------===//

/// Puts the scores of a block behind those that are held.
void AttendPrefill::hold(Value count, ValueRange newMaxima) {
  for (auto [vector, largest] : llvm::enumerate(newMaxima))
    storeTile(largest, maxima, vector);
  loops.loop(loops.constant(0), count, loops.constant(1), [&](Value key) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      storeTile(loadTile(scoreTiles[0], vector, key), heldTile, vector, loops.add(firstHeld, key));
  });
}

void AttendPrefill::weighHeld() {
  NormaliserCode here = code();
  Values largest;
  for (int64_t vector = 0; vector < schedule.vectors; ++vector)
    largest.push_back(loadTile(maxima, vector));
  HeldScores held{here, heldTile, loops.constant(0), heldCount, schedule.vectors, /*keysInLanes=*/false};
  for (auto [vector, factor] : llvm::enumerate(problem.normaliser->weighHeld(held, largest)))
    storeTile(factor, factors, vector);
}

/// Which pairs of a key and a vector of queries are kept, where some may be dropped.
Value AttendPrefill::keptPairs(const PairBlock &block, Value vector, Value key) {
  return loops.either(loops.splat(block.allKept), loops.loadFlags(keptTile, {keptAt(key, vector)}));
}

/// p' of p.
Value AttendPrefill::weightOfPair(const PairBlock &block, int64_t vector, Value key, Value normalised) {
  attn::AttendOp op = problem.op;
  RegionVectoriser pair = bindPair(vector, block.firstKey, key);
  pair.bindValue(op.getWeight().getArgument(0), normalised);
  if (dropsPairs() && readsByData(op.getWeight()))
    pair.restrictLanes(keptPairs(block, at(vector), key));
  return pair.broadcast(pair.evaluate(AttendProblem::yielded(op.getWeight())));
}

/// Turns scores into weights and carries the rows' sums on. Returns what earlier sums are to be multiplied with.
LoopBuilder::Values AttendPrefill::weigh(Pass pass, const PairBlock &block, ValueRange newMaxima) {
  const Normaliser &normaliser = *problem.normaliser;
  bool isFinal = pass == Pass::Apply, isScaled = isFinal && normaliser.order() != Normaliser::Order::AtOnce;
  bool carries = !isFinal || normaliser.followsKeys();
  bool hasLogs = carriesLogs(pass);
  Values largest(schedule.vectors), corrections, total, logs, finalScale;
  for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
    total.push_back(loadTile(sums, vector));
    if (hasLogs)
      logs.push_back(loadTile(logSums, vector));
    finalScale.push_back(isScaled ? loadTile(factors, vector) : Value());
    if (!normaliser.usesMaximum())
      continue;
    Value before = loadTile(maxima, vector);
    largest[vector] = isFinal ? before : newMaxima[vector];
    if (isFinal)
      continue;
    corrections.push_back(normaliser.correction(code(), before, largest[vector]));
    if (Value change = hasLogs ? normaliser.logCorrection(code(), before, largest[vector]) : Value())
      logs[vector] = loops.mulf(loops.fma(total[vector], change, logs[vector]), corrections[vector]);
    total[vector] = loops.mulf(total[vector], corrections[vector]);
    storeTile(largest[vector], maxima, vector);
  }
  total.append(logs);
  total = loops.loop(loops.constant(0), block.count, loops.constant(1), total, [&](Value key, ValueRange carried) {
    Values next, nextLogs;
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      auto [weight, sum] = weightOf(vector, key, {largest[vector], carried[vector]});
      if (isScaled)
        weight = loops.mulf(weight, finalScale[vector]);
      next.push_back(carries ? sum : carried[vector]);
      if (hasLogs)
        nextLogs.push_back(
            loops.addf(carried[schedule.vectors + vector], logTerm(pass, vector, key, weight, largest[vector])));
      if (pass == Pass::Statistics)
        continue;
      if (problem.hasWeight())
        weight = weightOfPair(block, vector, key, weight);
      if (isFinal && dropsPairs() && problem.needsFinalWeights()) // of a row that is NaN each weight is
        weight = loops.choose(keptPairs(block, at(vector), key), weight, loops.splat(0.0));
      storeTile(weight, scoreTiles[0], vector, key);
    }
    next.append(nextLogs);
    return next;
  });
  for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
    if (carries)
      storeTile(total[vector], sums, vector);
    if (hasLogs)
      storeTile(total[schedule.vectors + vector], logSums, vector);
  }
  return corrections;
}

/// The weight of a pair of the block, from its score or as it is held.
Normaliser::Weighed AttendPrefill::weightOf(int64_t vector, Value key, const Normaliser::Carriers &carriers) {
  if (holdsScores())
    return {loadTile(heldTile, vector, loops.add(firstHeld, key)), carriers.sum};
  return problem.normaliser->weigh(code(), loadTile(scoreTiles[0], vector, key), carriers);
}

} // namespace attnc
