//===- AdditiveGradient.h - scores and gradient of an additive score in the tiled gradient of attention -----------===//
//
// An additive score is sum_f c[f] tanh(a[row, f] + b[key, f]), with features f, coefficients c, and terms a of the row
// (query) and b of the key (SumOfTanh.h). In the tiled gradient (TiledGradient.h), this class computes such a score and
// its gradient instead of the products with panels. Keys are in the lanes. With t = 1 + exp(2a) exp(2b), r = 1 / t, and
// g = dS of a pair, the gradients of a feature's terms a and b are the sums of
//
//   c g dtanh = 4 c g r (1 - r)      over keys for a, over rows for b,
//
// and the gradient of the coefficient c is (sum of g) - 2 (sum of g r) over all pairs. Four features together need one
// division for each vector of keys. In blocks whose terms or coefficients are outside the range of powers
// (SumOfTanh.h), r = (1 - tanh(a + b)) / 2. TiledBlocks.cpp uses this class, and ScoreGradients for the scores.
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

  /// `number` is the index of the additive score in AttendGradientProblem::tanhs.
  AdditiveGradient(const TiledContext &context, const AdditiveResults &results, const PartialSums &partial,
                   const KeySplit &split, const GradientTiles &tiles, unsigned number);

  // Each function emits code that reads and writes the tiles GradientTiles::Additive. Called for each batch: start();
  // then for each block of keys packKeys(), for each block of rows packRows(), computeScores() and accumulate(), and
  // after the rows addKeys(); last finish().

  /// Computes the coefficients and scales of the open batch, and clears the sums over all pairs. Sets `scale`.
  void start();
  /// Stores the sums over all pairs as partial sums (PartialSums.h), if GradientTanh::hasShared(); otherwise nothing.
  void finish();
  /// Computes the terms and powers of tileKv keys from number `firstKey` (index) of the batch on, and clears their
  /// sums. After the last key of the batch, this key is repeated.
  void packKeys(Value firstKey);
  /// Computes the terms and powers of a block's rows, and clears their sums.
  void packRows(const PairBlock &block);
  /// Computes the scores of the block's rows row .. row + tileRows - 1 (counted in the block) with its keys, multiplied
  /// with `scale`, and with log2 e if the product is the score. Stores them in the score's tile of
  /// GradientTiles::scores.
  void computeScores(Value row, int64_t tileRows);
  /// Adds the pairs of a block, with g from the score's tile of GradientTiles::gradients (ScoreGradients), to all sums,
  /// and the gradients of its rows' terms to the results or partial sums (AdditiveResults::addRow).
  void accumulate(const PairBlock &block);
  /// Adds the gradients of the terms of the `keyCount` keys from `firstKey` on to the results; nothing if no gradient
  /// of an operand of keys is a result.
  void addKeys(Value firstKey, Value keyCount);

  Value scale; ///< a vector with the factor of the product (PairReduction::scales) in all lanes; null before start()

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
