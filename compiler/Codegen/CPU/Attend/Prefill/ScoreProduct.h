//===- ScoreProduct.h - one product of a block of queries and a block of keys ---------------------------------===//
//
//   St[k][q] = sum_f K[k][f] * Qt[f][q]          in register tiles of tileRows keys and `vectors` vectors of queries
//
// Keys are read as scalars from their tensor. A reduction that is no dot product is evaluated term by term, an
// additive score by powers (AdditiveProduct.h). If the product is the score (PrefillTraits::keepsMaxima), its tiles
// update the rows' maxima while they are in registers.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/AdditiveProduct.h"

namespace attnc {

class ScoreProduct : PrefillContext {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  /// Product `number` of the problem. `pairs` are prefetched along with the first one.
  ScoreProduct(const PrefillContext &context, PrefillBatch &batch, const QueryTile &queries, PairOperands &pairs,
               const PrefillTiles &tiles, unsigned number);

  /// Emits the packing of the query operands, once for the block of queries.
  void pack();
  /// Emits the products of all queries and a block of keys, scaled, into PrefillTiles::scores[number], [key][query].
  /// With keepsMaxima, raises PrefillTiles::Rows::blockMaxima, which must be initialised. Pairs that liveEnds() omits
  /// keep unspecified values: the mask drops them.
  void compute(const KeyBlock &block);

private:
  int64_t tileRows() const;
  bool isStrided();
  void computeStrided(const KeyBlock &block);
  void computeTiles(const KeyBlock &block, bool byPowers);
  void computeTile(const KeyTile &tile);
  Value startOfSums();
  Values sumTerms(const KeyTile &tile, Values sums);
  Values addTerms(llvm::ArrayRef<std::vector<RegionVectoriser>> cells, int64_t firstVector, ValueRange features,
                  ValueRange carried);
  void prefetchKeys(const KeyTile &tile, Value feature);
  Values featureSizes();

  TileAccess access;
  const PrefillBatch &batch;
  const QueryTile &queries;
  PairOperands &pairs;
  const PairReduction &product;
  const bool isFirst;
  const Value scores, blockMaxima; ///< tiles; the latter is null without keepsMaxima
  PackedQueries packed;
  std::optional<AdditiveProduct> additive;
};

} // namespace attnc
