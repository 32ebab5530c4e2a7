//===- DecodeProducts.h - products of the rows and a block of keys --------------------------------------------===//
//
//   S[r][k] = sum_f Q[r][f] * K[k][f]
//
// for each product of the score (or another combiner than the sum). Features are in the lanes. A register tile has as
// many sums as a vector has lanes: 4 rows x 4 keys, 2 x 8, 1 x 16 for 16 lanes. The sums are reduced over their lanes
// together, by a tree of pairwise sums.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Decode/DecodePrefetch.h"

namespace attnc {

class DecodeProducts : public DecodeChunk {
public:
  /// Computes all products of all rows and the keys of a block; stores product n to DecodeTiles::scores[n].
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
