#include "compiler/Codegen/CPU/Attend/Prefill/AdditiveProduct.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace attnc {

AdditiveProduct::AdditiveProduct(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries,
                                 const PairReduction &product, const PrefillTiles::Additive &tiles)
    : PrefillContext(context), access(loops, schedule), batch(batch), queries(queries), product(product), tiles(tiles) {
}

/// Features up to a multiple of four are filled with zeros: t is 1, c is 0.
void AdditiveProduct::packRows(const PackedQueries &packed) {
  attn::ReduceOp op = product.op;
  SumOfTanhCode tanhs = {loops, target};
  Value zero = loops.constant(0), features = frame.size(product.features);
  packCoefficients();
  Value within =
      loops.loop(zero, features, loops.constant(1), {trueInAllLanes(loops)}, [&](Value feature, ValueRange so) {
        Value within = so[0];
        for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
          RegionVectoriser row = queries.vectors[vector];
          row.bindIndex(op.getBody().getArgument(0), feature);
          for (auto [extract, tile] : llvm::zip(product.rowExtracts, packed.tiles))
            row.bindValue(extract->getResult(0), access.load(tile, vector, feature));
          Value term = SumOfTanh::evaluate(loops, row, product.tanhs->rowTerms);
          if (Value active = row.laneMask())
            term = loops.choose(active, term, loops.splat(0.0));
          within = loops.both(within, tanhs.isWithin(term, SumOfTanhCode::largestTerm));
          access.store(tanhs.power(term), tiles.rowPowers, vector, feature);
        }
        return Values{within};
      })[0];
  Value padded = frame.size(product.features.alignTo(SumOfTanhCode::featuresAtOnce));
  loops.loop(features, padded, loops.constant(1), [&](Value feature) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      access.store(loops.splat(0.0), tiles.rowPowers, vector, feature);
  });
  inRange = loops.both(inRange, holdsInAllLanes(loops, within));
}

void AdditiveProduct::packCoefficients() {
  attn::ReduceOp op = product.op;
  Value features = frame.size(product.features), start = loops.splat(0.0);
  Values sums = loops.loop(loops.constant(0), tiles.featuresOfKey, loops.constant(schedule.lanes), {start, start},
                           [&](Value feature, ValueRange before) {
                             RegionVectoriser at = batch.formulas;
                             at.bindIndex(op.getBody().getArgument(0), feature, 1);
                             at.setActiveLanes(loops.sub(features, feature));
                             Value value = loops.choose(at.laneMask(), product.tanhs->coefficient.evaluate(loops, at),
                                                        loops.splat(0.0));
                             loops.store(value, tiles.coefficients, {feature});
                             Value magnitude = math::AbsFOp::create(loops.builder, loops.location, value);
                             return Values{loops.addf(before[0], value), loops.addf(before[1], magnitude)};
                           });
  NormaliserCode code = {loops, target};
  sumOfCoefficients = loops.splat(code.sumOfLanes(sums[0]));
  inRange = SumOfTanhCode{loops, target}.isWithin(code.sumOfLanes(sums[1]), SumOfTanhCode::largestSum);
}

Value AdditiveProduct::packKeys(const KeyBlock &block) {
  attn::ReduceOp op = product.op;
  SumOfTanhCode tanhs = {loops, target};
  Value zero = loops.constant(0), features = frame.size(product.features), lanes = loops.constant(schedule.lanes);
  bool isWhole = product.features.isConstant() && product.features.constant() % schedule.lanes == 0;
  auto packKey = [&](Value key, ValueRange before) {
    RegionVectoriser ofKey = batch.bindKey(loops.add(block.firstKey, key));
    return loops.loop(zero, tiles.featuresOfKey, lanes, before, [&](Value feature, ValueRange so) {
      RegionVectoriser at = ofKey;
      at.bindIndex(op.getBody().getArgument(0), feature, 1);
      if (!isWhole)
        at.setActiveLanes(loops.sub(features, feature));
      Value term = SumOfTanh::evaluate(loops, at, product.tanhs->keyTerms);
      if (!isWhole)
        term = loops.choose(at.laneMask(), term, loops.splat(0.0));
      loops.store(tanhs.power(term), tiles.keyPowers, {loops.add(loops.mul(key, tiles.featuresOfKey), feature)});
      return Values{loops.both(so[0], tanhs.isWithin(term, SumOfTanhCode::largestTerm))};
    });
  };
  Value within = loops.loop(zero, block.count, loops.constant(1), {trueInAllLanes(loops)}, packKey)[0];
  return loops.both(inRange, holdsInAllLanes(loops, within));
}

/// Four features an iteration.
LoopBuilder::Values AdditiveProduct::sumFractions(const KeyTile &tile, ValueRange sums) {
  SumOfTanhCode tanhs = {loops, target};
  constexpr int64_t atOnce = SumOfTanhCode::featuresAtOnce;
  Value end = frame.size(product.features.alignTo(atOnce));
  int64_t vectors = schedule.vectors - tile.firstVector;
  Values keyRows;
  for (int64_t i = 0; i < tile.rows; ++i)
    keyRows.push_back(loops.mul(loops.add(tile.row, i), tiles.featuresOfKey));
  return loops.loop(loops.constant(0), end, loops.constant(atOnce), sums, [&](Value feature, ValueRange before) {
    Values next(before), coefficients;
    auto number = [&](Value memref, Value at) { return loops.splat(loops.loadScalar(memref, {at})); };
    for (int64_t u = 0; u < atOnce; ++u)
      coefficients.push_back(number(tiles.coefficients, loops.add(feature, u)));
    for (int64_t live = 0; live < vectors; ++live) {
      Values rowPowers;
      for (int64_t u = 0; u < atOnce; ++u)
        rowPowers.push_back(access.load(tiles.rowPowers, tile.firstVector + live, feature, u));
      for (int64_t i = 0; i < tile.rows; ++i) {
        Values denominators;
        for (int64_t u = 0; u < atOnce; ++u) {
          Value keyPower = number(tiles.keyPowers, loops.add(loops.add(keyRows[i], feature), u));
          denominators.push_back(tanhs.denominator(rowPowers[u], keyPower));
        }
        Value &sum = next[i * vectors + live];
        sum = tanhs.addFractions(sum, denominators, coefficients);
      }
    }
    return next;
  });
}

} // namespace attnc
