//===- AdditiveGradient.h - gradient of an additive score, keys in the lanes ----------------------------------===//
//
// An additive score sum_f c[f] tanh(a[row, f] + b[key, f]) (SumOfTanh.h) replaces the products with panels. With
// t = 1 + exp(2a) exp(2b), r = 1 / t, and g = dS of a pair, the gradients of a feature's terms a and b are the sums of
//
//   c g dtanh = 4 c g r (1 - r)      over keys for a, over rows for b,
//
// and that of the coefficient c is sum of g - 2 sum of g r over all pairs. A tile of four features has one division for
// each vector of keys. In blocks that powers cannot represent, r = (1 - tanh(a + b)) / 2.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/AdditiveResults.h"
#include "compiler/Codegen/CPU/AttendGradient/Tiled/GradientTiles.h"

namespace attnc {

class AdditiveGradient : TiledContext {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  /// `number` is that of the additive score in AttendGradientProblem::tanhs.
  AdditiveGradient(const TiledContext &context, const AdditiveResults &results, const PartialSums &partial,
                   const KeySplit &split, const GradientTiles &tiles, unsigned number);

  // Each function emits code, on GradientTiles::Additive. For each batch: start(), then for each block of keys
  // packKeys(), the three functions of a block of rows, and addKeys(); then finish().

  /// Computes the coefficients and scales of the open batch, and clears the sums over all pairs.
  void start();
  /// Stores the sums over all pairs as partial sums (PartialSums.h), if shared operands are wanted.
  void finish();
  /// Computes the terms and powers of tileKv keys from `firstKey` on, and clears their sums.
  void packKeys(Value firstKey);
  /// Computes the terms and powers of a block's rows, and clears their sums.
  void packRows(const PairBlock &block);
  /// Computes the scores, scaled, of the block's rows `row` .. row + tileRows - 1 with all keys, to
  /// GradientTiles::scores.
  void computeScores(Value row, int64_t tileRows);
  /// Adds a block, with g of GradientTiles::gradients, to all sums, and its rows' gradients to the results (addRow).
  void accumulate(const PairBlock &block);
  /// Adds the gradients of the terms of a block of keys to the results.
  void addKeys(Value firstKey, Value keyCount);

  Value scale; ///< a vector: the factor of the product (PairReduction::scales)

private:
  /// Four features from `feature` on of the row whose features start at `rowPlace`, and the block's keys from number
  /// `lane` on with the gradients g of the pairs, a vector.
  struct Pairs {
    Value rowPlace, feature, lane, gradient;
  };
  Value featuresAt(RegionVectoriser &at, Value first, Value formula);
  Values arguments(bool byPowers, Value rowPlace, Value feature, Value lane);
  void computeScoresBy(Value row, int64_t tileRows, bool byPowers);
  void accumulateBy(const PairBlock &block, bool byPowers);
  void addPairs(bool byPowers, const Pairs &pairs, Values &ofCoefficients, Values &ofRow);
  Value pairGradients(const PairBlock &block, Value row, Value lane);
  void addSums(ValueRange vectors, Value memref, Value place);
  Value termGradient(Value sum, Value first);
  void addRows(const PairBlock &block);
  SumOfTanhCode code() const { return {loops, target}; }
  Value tileAt(Value row, Value lane) const { return loops.add(loops.mul(row, schedule.tileKv), lane); }
  Value at(int64_t vector) const { return loops.constant(vector * schedule.lanes); }

  const GradientTanh &tanh;
  const AdditiveResults &results;
  const PartialSums &partial;
  const KeySplit &split;
  const GradientTiles::Additive &tiles;
  const Value scores, gradients; ///< tiles
  const unsigned number;
  const int64_t features, alignedFeatures;         ///< their number in whole vectors; in whole groups of four
  Value sumOfCoefficients, scoreScale;             ///< vectors; the scale, with log2 e if the score is the product
  Value coefficientsInRange, keysInRange, inRange; ///< i1: powers represent the coefficients, the keys', all terms
};

} // namespace attnc
