#include "compiler/Codegen/CPU/Attend/Prefill/ScoreProduct.h"
#include "compiler/Codegen/CPU/Attend/Prefill/DotScores.h"

using namespace mlir;

namespace attnc {

/// Terms of a dot product that one iteration of the innermost loop adds.
static constexpr int64_t featuresAtOnce = 2;

static void bindFeatures(const PairReduction &product, RegionVectoriser &to, ValueRange features) {
  attn::ReduceOp op = product.op;
  for (auto [argument, feature] : llvm::zip(op.getBody().getArguments(), features))
    to.bindIndex(argument, feature);
}

ScoreProduct::ScoreProduct(const PrefillContext &context, PrefillBatch &batch, const QueryTile &queries,
                           PairOperands &pairs, const PrefillTiles &tiles, unsigned number)
    : PrefillContext(context), access(loops, schedule), batch(batch), queries(queries), pairs(pairs),
      product(problem.products[number]), isFirst(number == 0), scores(tiles.scores[number]),
      blockMaxima(context.traits.keepsMaxima ? tiles.rows.blockMaxima : Value()),
      packed(context, batch, queries, product, tiles.queries[number]) {
  if (product.tanhs)
    additive.emplace(context, batch, queries, product, tiles.additive[number]);
}

void ScoreProduct::pack() {
  packed.pack();
  if (additive)
    additive->packRows(packed);
}

LoopBuilder::Values ScoreProduct::featureSizes() {
  Values sizes;
  for (Value size : attn::ReduceOp(product.op).getSizes())
    sizes.push_back(frame.index(size));
  return sizes;
}

//===-------------------------------------------- register tiles ----------------------------------------------===//

/// Few keys where a term takes many registers and operations.
int64_t ScoreProduct::tileRows() const {
  if (product.isDot)
    return schedule.tileRows;
  unsigned operations = 0;
  attn::ReduceOp(product.op).walk([&](Operation *inner) {
    bool isHeavy = inner->getDialect()->getNamespace() == "math" || isa<attn::ReduceOp>(inner);
    operations += isHeavy ? 8 : 1;
  });
  int64_t sums = sumsOfTile(target) / schedule.vectors;
  return operations <= 10 ? std::min({schedule.tileRows, sums / 2, target.vectorRegisters / 4}) : 2;
}

void ScoreProduct::compute(const KeyBlock &block, const StridedRows &results) {
  if (isStrided())
    return computeStrided(block, results);
  if (!additive)
    return computeTiles(block, /*byPowers=*/false);
  auto computeBy = [&](bool byPowers) {
    computeTiles(block, byPowers);
    return Values();
  };
  Value inRange = additive->packKeys(block);
  loops.select(
      inRange, {}, [&] { return computeBy(true); }, [&] { return computeBy(false); });
}

/// Whether the product is that of contiguous features of queries and keys, both at constant distances.
bool ScoreProduct::isStrided() {
  attn::AttendOp op = problem.op;
  auto keyFactor = product.isDot ? product.keyFactor.getDefiningOp<tensor::ExtractOp>() : tensor::ExtractOp();
  if (!keyFactor || problem.classes || op.getNumKeys() != 1 || !problem.pairExtracts.empty() ||
      !product.features.isConstant() || product.features.constant() == 0 || !packed.isStrided())
    return false;
  attn::ReduceOp reduce = product.op;
  return reduce.getSizes().size() == 1 && !(IndexUses(op).of(keyFactor) & problem.rowUses()) &&
         IndexUses::stepsWith(keyFactor, reduce.getBody().getArgument(0)) &&
         IndexUses::stepsAlong(keyFactor, op.getScore().getArgument(op.getNumOuter()));
}

void ScoreProduct::computeStrided(const KeyBlock &block, const StridedRows &results) {
  auto keyFactor = product.keyFactor.getDefiningOp<tensor::ExtractOp>();
  attn::ReduceOp reduce = product.op;
  auto subscriptsAt = [&](Value key) {
    RegionVectoriser point = batch.bindKey(key);
    point.bindIndex(reduce.getBody().getArgument(0), loops.constant(0));
    return subscriptsOf(point, keyFactor);
  };
  DotScores operands;
  operands.keys = stridedRows(loops, frame.buffer(keyFactor.getTensor()), subscriptsAt(block.firstKey),
                              subscriptsAt(loops.add(block.firstKey, 1)));
  operands.keys.count = block.count;
  operands.features = product.features.constant();
  operands.queries = packed.tiles[0];
  operands.scores = scores;
  operands.maxima = blockMaxima;
  operands.liveEnds = queries.liveEnds(block);
  operands.nextQueries = packed.stridedNext(product.rowExtracts[0]);
  if (isFirst && results.flat) {
    operands.results = results;
    operands.resultColumns = problem.values.constant();
  }
  operands.isLast = block.isLast;
  computeDotScores(loops, frame.code, schedule, operands);
}

void ScoreProduct::computeTiles(const KeyBlock &block, bool byPowers) {
  int64_t most = byPowers ? AdditiveProduct::tileRows : tileRows();
  forEachKeyTile(loops, block.count, queries.liveEnds(block), most, [&](const KeyTileShape &shape) {
    KeyTile tile{shape, block, byPowers};
    if (tile.rows > 1)
      loops.when(block.isLast, [&] { packed.prefetchNext(tile); });
    computeTile(tile);
  });
}

/// The neutral element of the reduction. Queries without features are not scaled: then the sum, 0, is.
Value ScoreProduct::startOfSums() {
  attn::ReduceOp op = product.op;
  Value neutral =
      loops.splat(neutralElement(loops.builder, loops.location, op.getCombine(), loops.builder.getF32Type()));
  if (!product.isDot || product.scales.empty())
    return neutral;
  Value features = loops.constant(1);
  for (Value size : featureSizes())
    features = loops.mul(features, size);
  if (auto known = LoopBuilder::constantOf(features); known && *known != 0)
    return neutral;
  Value isNone = loops.compare(arith::CmpIPredicate::eq, features, loops.constant(0));
  return arith::SelectOp::create(loops.builder, loops.location, isNone, loops.mulf(neutral, packed.scale), neutral);
}

void ScoreProduct::computeTile(const KeyTile &tile) {
  int64_t vectors = schedule.vectors - tile.firstVector;
  Values start(tile.rows * vectors, startOfSums());
  Values sums = tile.byPowers ? additive->sumFractions(tile, start) : sumTerms(tile, start);
  for (Value &sum : sums) {
    if (tile.byPowers)
      sum = additive->scoreOf(sum);
    if (!product.isDot)
      sum = loops.mulf(sum, packed.scale);
  }
  storeScores(access, loops, tile, sums, scores, blockMaxima);
}

//===-------------------------------------------- terms -------------------------------------------------------===//

/// The terms of all features, added to `sums`, [key][vector].
LoopBuilder::Values ScoreProduct::sumTerms(const KeyTile &tile, Values sums) {
  std::vector<std::vector<RegionVectoriser>> cells;
  for (int64_t i = 0; i < tile.rows; ++i) {
    Value key = loops.add(loops.add(tile.block.firstKey, tile.row), i);
    auto &cell = cells.emplace_back();
    if (product.isDot)
      cell.push_back(batch.bindKey(key));
    for (int64_t vector = tile.firstVector; !product.isDot && vector < schedule.vectors; ++vector)
      cell.push_back(batch.bindKey(queries.vectors[vector], key));
  }
  Values sizes = featureSizes();
  auto add = [&](ValueRange features, ValueRange carried) {
    return addTerms(cells, tile.firstVector, features, carried);
  };
  auto knownSize = sizes.size() == 1 ? LoopBuilder::constantOf(sizes[0]) : std::nullopt;
  bool isInLines = product.isDot && sizes.size() == 1, isLong = isInLines && knownSize && *knownSize >= lineFloats;
  if (isFirst && !isLong)
    pairs.prefetchNext(tile, loops.constant(0), 1);
  if (!isInLines)
    return loops.nest(sizes, sums, add);
  // Line by line, so that later lines are prefetched in step with the multiplications.
  Value zero = loops.constant(0), one = loops.constant(1), line = loops.constant(lineFloats);
  Value lines = loops.mul(loops.div(sizes[0], line), lineFloats);
  sums = loops.loop(zero, lines, line, sums, [&](Value first, ValueRange before) {
    prefetchKeys(tile, first);
    if (isFirst && isLong)
      pairs.prefetchNext(tile, loops.div(first, line), *knownSize / lineFloats);
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

/// Prefetches the line of `feature` of the next tile's keys into the first-level cache, and of the next block's into
/// the second-level cache.
void ScoreProduct::prefetchKeys(const KeyTile &tile, Value feature) {
  attn::ReduceOp op = product.op;
  BlockArgument index = op.getBody().getArgument(0);
  IndexUses uses(problem.op);
  SmallVector<tensor::ExtractOp> extracts(op.getBody().getOps<tensor::ExtractOp>());
  for (tensor::ExtractOp extract : extracts) {
    if (!(uses.of(extract) & IndexUses::anyKey) || !IndexUses::stepsWith(extract, index))
      continue;
    for (int64_t i = 0; i < tile.rows; ++i)
      for (auto [distance, locality] : {std::pair(loops.constant(tile.rows), 3u), {tile.block.count, 2u}}) {
        Value key = loops.add(loops.add(tile.block.firstKey, tile.row), i);
        RegionVectoriser later = batch.bindKey(loops.add(key, distance));
        later.bindIndex(index, feature);
        loops.prefetch(frame.buffer(extract.getTensor()), subscriptsOf(later, extract), locality);
      }
  }
}

LoopBuilder::Values ScoreProduct::addTerms(ArrayRef<std::vector<RegionVectoriser>> cells, int64_t firstVector,
                                           ValueRange features, ValueRange carried) {
  attn::ReduceOp op = product.op;
  Value feature = loops.linearise(features, featureSizes());
  SmallVector<Values> rows(packed.tiles.size());
  for (auto [tile, vectors] : llvm::zip(packed.tiles, rows))
    for (int64_t vector = firstVector; vector < schedule.vectors; ++vector)
      vectors.push_back(access.load(tile, vector, feature));
  Values next;
  for (auto [i, cell] : llvm::enumerate(cells)) {
    if (product.isDot) {
      RegionVectoriser key = cell[0];
      bindFeatures(product, key, features);
      Value factor = loops.splat(key.evaluate(product.keyFactor));
      for (Value row : rows[0])
        next.push_back(loops.fma(factor, row, carried[next.size()]));
      continue;
    }
    for (auto [live, unbound] : llvm::enumerate(cell)) {
      RegionVectoriser pair = unbound;
      bindFeatures(product, pair, features);
      for (auto [extract, vectors] : llvm::zip(product.rowExtracts, rows))
        pair.bindValue(extract->getResult(0), vectors[live]);
      Value term = loops.splat(pair.evaluate(AttendProblem::yielded(op.getBody())));
      next.push_back(combine(loops.builder, loops.location, op.getCombine(), carried[next.size()], term));
    }
  }
  return next;
}

} // namespace attnc
