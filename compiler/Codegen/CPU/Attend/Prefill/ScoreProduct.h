//===- ScoreProduct.h - one product of a tile of queries and a block of keys in prefill attention -----------------===//
//
//   St[k][q] = sum_f K[k][f] * Qt[f][q]          in register tiles of tileRows keys and `vectors` vectors of queries
//
// k is a key, q a query and f a feature; Qt are the packed queries (PackedQueries.h). Keys are read as scalars from
// their tensor. The score of a problem may have several products (AttendProblem::products). A product that is another
// reduction than a dot product is evaluated term by term, and an additive score by powers (AdditiveProduct.h). If the
// product is the score and the normaliser uses maxima (PrefillTraits::keepsMaxima), its register tiles update the rows'
// maxima. PrefillTile.cpp creates one object for each product.
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

  /// Product `number` of the problem. The elements of `pairs` for the next block are prefetched during product 0,
  /// except where it is computed by powers.
  ScoreProduct(const PrefillContext &context, PrefillBatch &batch, const QueryTile &queries, PairOperands &pairs,
               const PrefillTiles &tiles, unsigned number);

  /// Emits the packing of the query operands. Called first, once for the tile of queries.
  void pack();
  /// Emits the products of all queries and a block of keys, multiplied with their scale (PackedQueries::scale), into
  /// PrefillTiles::scores[number], [key][query]. With keepsMaxima, also raises PrefillTiles::Rows::blockMaxima, which
  /// OnlineNormaliser::startBlock() has initialised. Elements that QueryTile::liveEnds() omits are unspecified, and the
  /// mask drops their pairs. In the last block, also prefetches the queries of the next tile. Product 0, if it is
  /// strided, then prefetches `results`, rows of problem.values elements, for writing, unless `flat` is null.
  void compute(const KeyBlock &block, const StridedRows &results);

private:
  int64_t tileRows() const;
  bool isStrided();
  void computeStrided(const KeyBlock &block, const StridedRows &results);
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
