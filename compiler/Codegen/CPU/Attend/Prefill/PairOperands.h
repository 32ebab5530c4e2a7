//===- PairOperands.h - operands with an element for each pair of a query and a key ---------------------------===//
//
// The score, mask and weight may read such operands (PairExtract: a learned bias or mask). Consecutive elements belong
// to consecutive keys while lanes are queries, so a block is transposed into tiles before it is computed. A bias, which
// only the score reads, is transposed in registers where it is added. Lines of the next block are prefetched during the
// products.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/QueryTile.h"
#include "compiler/Codegen/CPU/Attend/Prefill/TileAccess.h"

namespace attnc {

/// Keys row, row + 1, ... of a block, and the vectors of queries from the first live one on: a register tile of scores.
struct KeyTile {
  const KeyBlock &block;
  mlir::Value row;
  int64_t rows, firstVector;
  bool byPowers = false; ///< of an additive score (SumOfTanh.h)
};

class PairOperands : PrefillContext {
public:
  using Value = mlir::Value;

  PairOperands(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries,
               llvm::ArrayRef<Value> tiles);

  /// Transposes the elements of a block into the tiles.
  void load(const KeyBlock &block);
  /// The formulas of one key of the block and one vector of queries; products are not bound.
  RegionVectoriser bindPair(int64_t vector, const KeyBlock &block, Value key);
  /// Binds the elements of one key of the block and the vector of queries from `query` on.
  void bind(RegionVectoriser &pair, Value query, Value key);
  /// Binds the biases of consecutive keys from `key` on, as many as a vector has lanes; `lines` are their rows.
  void bindBiases(llvm::ArrayRef<RegionVectoriser> lines, Value key, llvm::MutableArrayRef<RegionVectoriser> pairs);
  /// Prefetches lines of the next block, row by row. Each of the `iterations` of a register tile issues an equal part,
  /// because a core has few misses in flight.
  void prefetchNext(const KeyTile &tile, Value iteration, int64_t iterations);

private:
  TileAccess access;
  const PrefillBatch &batch;
  const QueryTile &queries;
  llvm::ArrayRef<Value> tiles; ///< [pair extract]; null for a bias
};

} // namespace attnc
