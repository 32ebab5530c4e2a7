//===- PairOperands.h - operands of prefill attention with an element for each query and key ----------------------===//
//
// The formulas of score, mask and weight may load elements that depend on the query and on the key, such as a learned
// bias or a mask in a tensor (PairExtract). Consecutive elements in memory belong to consecutive keys, but the lanes
// are queries. Therefore the elements of a block of keys are transposed into tiles before the block is computed. A bias
// is an element that only the score reads: it has no tile and is transposed in registers where it is added. The cache
// lines of the next block are prefetched during the products. Keys are counted from the first key of a block, except
// where a comment states otherwise. ScoreProduct, PairScores, OnlineNormaliser and ValueSums use this class.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/KeyTiles.h"
#include "compiler/Codegen/CPU/Attend/Prefill/QueryTile.h"
#include "compiler/Codegen/CPU/Attend/Prefill/TileAccess.h"

namespace attnc {

/// A register tile of scores of the block `block`.
struct KeyTile : KeyTileShape {
  const KeyBlock &block;
  bool byPowers = false; ///< an additive score is computed by powers, not tanh by tanh (AdditiveProduct.h)
};

class PairOperands : PrefillContext {
public:
  using Value = mlir::Value;

  /// `tiles` are PrefillTiles::pairs.
  PairOperands(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries,
               llvm::ArrayRef<Value> tiles);

  /// Emits the transposition of a block's elements, except biases, into the tiles, [key][query]. Must precede
  /// bindPair() and bind() for the block.
  void load(const KeyBlock &block);
  /// The formulas of one key of the block and of vector number `vector` of queries, with the loaded elements. The
  /// values of products and biases are not bound.
  RegionVectoriser bindPair(int64_t vector, const KeyBlock &block, Value key);
  /// Binds in `pair` the loaded elements of one key of the block and of the vector of queries from `query` on.
  void bind(RegionVectoriser &pair, Value query, Value key);
  /// Binds in pairs[i] the biases of key number `key` + i of the batch and of one vector of queries. `pairs` has as
  /// many elements as a vector has lanes; all these keys must exist. `lines` are the rows of the vector of queries
  /// (QueryTile::bindLanes()).
  void bindBiases(llvm::ArrayRef<RegionVectoriser> lines, Value key, llvm::MutableArrayRef<RegionVectoriser> pairs);
  /// Emits prefetches of cache lines of the next block, row by row, to the second-level cache. A register tile computes
  /// its products in a loop over features, with `iterations` iterations; iteration number `iteration` issues an equal
  /// part of the prefetches, because a core has few misses in flight. Emits nothing for a tile of one key.
  void prefetchNext(const KeyTile &tile, Value iteration, int64_t iterations);

private:
  TileAccess access;
  const PrefillBatch &batch;
  const QueryTile &queries;
  llvm::ArrayRef<Value> tiles; ///< [pair extract]; null for a bias
};

} // namespace attnc
