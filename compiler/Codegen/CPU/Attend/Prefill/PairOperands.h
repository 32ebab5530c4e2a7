//===- PairOperands.h - operands with an element for each pair of a query and a key ---------------------------===//
//
// The score, mask and weight may read such operands (PairExtract: a learned bias or mask). Consecutive elements belong
// to consecutive keys while lanes are queries, so a block is transposed into tiles before it is computed. A bias, which
// only the score reads, is transposed in registers where it is added. Lines of the next block are prefetched during the
// products. Keys are counted from the first key of a block, except where a comment states otherwise.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/KeyTiles.h"
#include "compiler/Codegen/CPU/Attend/Prefill/QueryTile.h"
#include "compiler/Codegen/CPU/Attend/Prefill/TileAccess.h"

namespace attnc {

/// A register tile of scores of a block.
struct KeyTile : KeyTileShape {
  const KeyBlock &block;
  bool byPowers = false; ///< an additive score is computed by powers, not tanh by tanh (AdditiveProduct.h)
};

class PairOperands : PrefillContext {
public:
  using Value = mlir::Value;

  PairOperands(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries,
               llvm::ArrayRef<Value> tiles);

  /// Emits the transposition of a block's elements, other than biases, into the tiles, [key][query].
  void load(const KeyBlock &block);
  /// The formulas of one key of the block and one vector of queries, with the loaded elements; products and biases are
  /// not bound.
  RegionVectoriser bindPair(int64_t vector, const KeyBlock &block, Value key);
  /// Binds the loaded elements of one key of the block and the vector of queries from `query` on.
  void bind(RegionVectoriser &pair, Value query, Value key);
  /// Binds in pairs[i] the biases of the i-th key from `key` on (numbered in the batch), as many keys as a vector has
  /// lanes, and of a vector of queries, whose rows are `lines` (QueryTile::bindLanes).
  void bindBiases(llvm::ArrayRef<RegionVectoriser> lines, Value key, llvm::MutableArrayRef<RegionVectoriser> pairs);
  /// Prefetches lines of the next block, row by row. Each of the `iterations` of the loop over the features of a
  /// register tile, of which `iteration` is the number, issues an equal part, because a core has few misses in flight.
  void prefetchNext(const KeyTile &tile, Value iteration, int64_t iterations);

private:
  TileAccess access;
  const PrefillBatch &batch;
  const QueryTile &queries;
  llvm::ArrayRef<Value> tiles; ///< [pair extract]; null for a bias
};

} // namespace attnc
