//===- DecodeProducts.h - products of queries and a block of keys in decode attention -----------------------------===//
//
//   S[r][k] = sum_f Q[r][f] * K[k][f]
//
// for rows r, keys k and features f (AttendDecode.h). A score may have several such products (AttendProblem::products),
// with any formula as the term and any combiner instead of the sum. Features are in the lanes. A register tile has at
// most as many sums as a vector has lanes: with 16 lanes 4 rows x 4 keys, 2 x 8 or 1 x 16. The lanes of all its sums
// are reduced together, by a tree of pairwise sums. DecodeSplit.cpp uses this class.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Decode/DecodePrefetch.h"

namespace attnc {

class DecodeProducts : public DecodeChunk {
public:
  /// Emits the computation of all products of all rows and the keys of a block. Product n is stored to
  /// DecodeTiles::scores[n], without its scales.
  void compute(const DecodeBlock &block) const;

private:
  /// A register tile of one product: some rows, and keys from `key` on, counted from the first one of the block.
  struct Tile {
    unsigned product;
    RowTile rows;
    const DecodeBlock &block;
    Value key;
  };
  using Pairs = std::vector<RegionVectoriser>; ///< of one row: [key]
  void computeTile(const Tile &tile) const;
  Value sumShort(const Tile &tile, int64_t tileKeys) const;
  Value sumLong(const Tile &tile, int64_t tileKeys) const;
  llvm::SmallVector<Pairs> bindTile(const Tile &tile, int64_t tileKeys) const;
  Value addFeatures(const PairReduction &product, RegionVectoriser pair, Value feature, Value left, Value sum) const;
  Value neutral(mlir::attn::ReduceOp reduce) const;
  Value sumLanes(mlir::attn::Combine combine, Values vectors) const;
};

} // namespace attnc
