//===- AdditiveGradient.h - gradient of an additive score, keys in the lanes ----------------------------------===//
//
// An additive score (SumOfTanh.h) replaces the products with panels. With r = 1 / t and g = dS of a pair, the gradients
// of a feature's terms are the sums of
//
//   c g dtanh = 4 c g r (1 - r)      over keys for the row's term, over rows for the key's,
//
// and that of the coefficient is sum of g - 2 sum of g r over all pairs. A tile of four features has one division for
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

  /// `number` is that of the additive score.
  AdditiveGradient(const TiledContext &context, const AdditiveResults &results, const PartialSums &partial,
                   const KeySplit &split, const GradientTiles &tiles, unsigned number);

  /// Once a batch: coefficients and scales; zeros in the sums over all pairs, which `finish` stores as partial sums.
  void start();
  void finish();
  /// Terms and powers of a block's keys and rows; zeros in their sums.
  void packKeys(Value firstKey);
  void packRows(const PairBlock &block);
  /// The scores of a tile of rows with all keys of a block.
  void computeScores(Value row, int64_t tileRows);
  /// Adds a block to all sums, and its rows' sums to the results.
  void accumulate(const PairBlock &block);
  /// Adds the sums of a block of keys to the results, after all rows have been accumulated.
  void addKeys(Value firstKey, Value keyCount);

  Value scale; ///< a vector

private:
  /// Four features of a row, and a vector of keys with the gradients of the pairs.
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
  const int64_t features, alignedFeatures;         ///< up to whole vectors; up to whole groups of four
  Value sumOfCoefficients, scoreScale;             ///< vectors; the latter with log2e
  Value coefficientsInRange, keysInRange, inRange; ///< i1
};

} // namespace attnc
