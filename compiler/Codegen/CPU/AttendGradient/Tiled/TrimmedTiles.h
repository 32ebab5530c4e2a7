//===- TrimmedTiles.h - the pairs of a block that a mask cuts, in steps of four rows and keys -----------------===//
//
// If the indices of a row determine its last unmasked key, as under a causal mask, the products of a block that the
// mask cuts omit the pairs after it. A row tile is four consecutive rows of the block, a key tile four consecutive
// keys.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/GradientTiles.h"
#include "compiler/Codegen/Kernels/Attend/AttendMask.h"

namespace attnc {

struct TrimTables {
  mlir::Value ends, firsts; ///< of i32: [row tile], [key tile]

  /// The key, counted in the block, from which on all pairs of a row tile are masked; at most the block's keyCount.
  mlir::Value endOf(FlatBuilder &code, mlir::Value rowTile) const;
  /// The first row tile whose end is after the first key of a key tile; in those before it, the whole key tile is
  /// masked. The number of row tiles if there is none.
  mlir::Value firstOf(FlatBuilder &code, mlir::Value keyTile) const;
};

class TrimmedTiles : TiledContext {
public:
  using Value = mlir::Value;
  static constexpr int64_t step = 4;

  TrimmedTiles(const TiledContext &context, const GradientTiles &tiles)
      : TiledContext(context), tables{tiles.tileEnds, tiles.firstTiles} {}

  /// Emits the code that fills the tables of a block. Returns false, at compile time, if the mask has no such ends;
  /// then the tables must not be used.
  bool find(const PairBlock &block, const AttendMask &mask);

  const TrimTables tables;
};

} // namespace attnc
