#include "compiler/Codegen/CPU/Attend/Decode/DecodeProducts.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using attnc::SizeExpr;

namespace attnc {

/// Lines that one iteration of a loop reads. LLVM's scheduler reads more lines in an order that hardware prefetchers do
/// not follow: those of several keys in turns.
static constexpr int64_t linesAtOnce = 8;

void DecodeProducts::compute(const DecodeBlock &block) const {
  int64_t tileKeys = schedule.lanes / llvm::PowerOf2Ceil(shape.largestTile);
  for (unsigned product = 0; product < problem.products.size(); ++product)
    loops.loop(loops.constant(0), block.count, loops.constant(tileKeys), [&](Value key) {
      for (const RowTile &tile : shape.rowTiles)
        computeTile({product, tile, block, key});
    });
}

void DecodeProducts::computeTile(const Tile &tile) const {
  const SizeExpr &features = problem.products[tile.product].features;
  int64_t tileKeys = schedule.lanes / llvm::PowerOf2Ceil(tile.rows.count);
  bool isShort = features.isConstant() && features.constant() > 0 && features.constant() % schedule.lanes == 0 &&
                 features.constant() <= linesAtOnce * schedule.lanes;
  Value total = isShort ? sumShort(tile, tileKeys) : sumLong(tile, tileKeys);
  for (int64_t r = 0; r < tile.rows.count; ++r) {
    auto lanes = llvm::to_vector(llvm::seq<int64_t>(r * tileKeys, (r + 1) * tileKeys));
    Value keySums = vector::ShuffleOp::create(loops.builder, loops.location, total, total, lanes);
    loops.store(keySums, tiles.scores[tile.product], {tiles.pairOffset(tile.key, tile.rows.first + r)});
  }
}

/// The pairs of the tile's rows and `tileKeys` keys. Past the last key it is read again: those scores are not used.
SmallVector<DecodeProducts::Pairs> DecodeProducts::bindTile(const Tile &tile, int64_t tileKeys) const {
  SmallVector<Pairs> pairs(tile.rows.count);
  Value last = loops.add(tile.block.count, -1);
  for (int64_t k = 0; k < tileKeys; ++k) {
    Value key = loops.add(tile.block.firstKey, loops.min(loops.add(tile.key, k), last));
    for (int64_t r = 0; r < tile.rows.count; ++r)
      pairs[r].push_back(rows.bindKey(tile.rows.first + r, key));
  }
  return pairs;
}

/// Few whole vectors of features: some keys at a time, and the cache lines of each key in the order of addresses.
Value DecodeProducts::sumShort(const Tile &tile, int64_t tileKeys) const {
  const PairReduction &product = problem.products[tile.product];
  attn::ReduceOp reduce = product.op;
  int64_t vectors = product.features.constant() / schedule.lanes, slots = schedule.lanes / tileKeys;
  int64_t groupKeys = std::clamp<int64_t>(linesAtOnce / llvm::PowerOf2Ceil(vectors), 1, tileKeys);
  int64_t groups = tileKeys / groupKeys;
  loops.loop(loops.constant(0), loops.constant(groups), loops.constant(1), [&](Value group) {
    Tile keyGroup = {tile.product, tile.rows, tile.block, loops.add(tile.key, loops.mul(group, groupKeys))};
    SmallVector<Pairs> pairs = bindTile(keyGroup, groupKeys);
    DecodePrefetch stream{*this};
    DecodePrefetch::Runs ahead;
    if (tile.rows.first == 0)
      ahead = stream.aheadOfProduct(tile.product, tile.block, keyGroup.key);
    Values sums(tile.rows.count * groupKeys, neutral(reduce));
    for (int64_t k = 0; k < groupKeys; ++k)
      for (int64_t vector = 0; vector < vectors; ++vector) {
        Value feature = loops.constant(vector * schedule.lanes);
        stream.prefetch(ahead, loops.constant(k), feature);
        for (auto [r, row] : llvm::enumerate(pairs))
          sums[r * groupKeys + k] = addFeatures(product, row[k], feature, {}, sums[r * groupKeys + k]);
      }
    for (int64_t r = 0; r < tile.rows.count; ++r) {
      Value sum = sumLanes(reduce.getCombine(), Values(ArrayRef(sums).slice(r * groupKeys, groupKeys)));
      loops.store(sum, tiles.products, {loops.mul(loops.add(group, r * groups), schedule.lanes)});
    }
  });
  Values sums;
  for (int64_t slot = 0; slot < slots * groups; ++slot)
    sums.push_back(slot < tile.rows.count * groups ? loops.load(tiles.products, {loops.constant(slot * schedule.lanes)})
                                                   : neutral(reduce));
  return sumLanes(reduce.getCombine(), sums);
}

/// Features in a loop.
Value DecodeProducts::sumLong(const Tile &tile, int64_t tileKeys) const {
  const PairReduction &product = problem.products[tile.product];
  attn::ReduceOp reduce = product.op;
  SmallVector<Pairs> pairs = bindTile(tile, tileKeys);
  DecodePrefetch stream{*this};
  DecodePrefetch::Runs ahead;
  if (tile.rows.first == 0)
    ahead = stream.aheadOfProduct(tile.product, tile.block, tile.key);
  auto addAll = [&](Value feature, Value left, Values sums) {
    for (int64_t k = 0; k < tileKeys; ++k) {
      stream.prefetch(ahead, loops.constant(k), feature);
      for (auto [r, row] : llvm::enumerate(pairs))
        sums[r * tileKeys + k] = addFeatures(product, row[k], feature, left, sums[r * tileKeys + k]);
    }
    return sums;
  };
  Value features = frame.size(product.features), lanes = loops.constant(schedule.lanes);
  Value whole = loops.mul(loops.div(features, lanes), schedule.lanes);
  Values sums(tile.rows.count * tileKeys, neutral(reduce));
  sums = loops.loop(loops.constant(0), whole, lanes, sums,
                    [&](Value feature, ValueRange carried) { return addAll(feature, {}, Values(carried)); });
  SmallVector<Type> types(sums.size(), loops.vectorType());
  sums = loops.select(
      loops.less(whole, features), types, [&] { return addAll(whole, loops.sub(features, whole), sums); },
      [&] { return sums; });
  sums.resize(schedule.lanes, neutral(reduce));
  return sumLanes(reduce.getCombine(), sums);
}

/// Adds the features from `feature` on of one pair: a vector of them, or `left` if that is given.
Value DecodeProducts::addFeatures(const PairReduction &product, RegionVectoriser pair, Value feature, Value left,
                                  Value sum) const {
  attn::ReduceOp reduce = product.op;
  pair.bindIndex(reduce.getBody().getArgument(0), steppingIndex(feature));
  if (product.isDot && !left) {
    Value key = pair.broadcast(pair.evaluate(product.keyFactor));
    Value row = pair.broadcast(pair.evaluate(tensor::ExtractOp(product.rowExtracts[0]).getResult()));
    return loops.fma(row, key, sum);
  }
  if (left)
    pair.setActiveLanes(left);
  Value value = pair.broadcast(pair.evaluate(AttendProblem::yielded(reduce.getBody())));
  if (left)
    value = loops.choose(pair.laneMask(), value, neutral(reduce));
  return combine(loops.builder, loops.location, reduce.getCombine(), sum, value);
}

Value DecodeProducts::neutral(attn::ReduceOp reduce) const {
  return loops.splat(neutralElement(loops.builder, loops.location, reduce.getCombine(), loops.builder.getF32Type()));
}

/// Lane i of the result combines all lanes of vector i.
Value DecodeProducts::sumLanes(attn::Combine kind, Values vectors) const {
  return loops.foldLanes(std::move(vectors),
                         [&](Value a, Value b) { return combine(loops.builder, loops.location, kind, a, b); });
}

} // namespace attnc
