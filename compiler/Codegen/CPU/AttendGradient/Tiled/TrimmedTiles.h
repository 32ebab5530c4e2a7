//===- TrimmedTiles.h - the pairs of a block that a mask cuts, in steps of four rows and keys -----------------===//
//
// If the indices of a row determine its last unmasked key, the products of a block that the mask cuts omit the pairs
// after it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/GradientTiles.h"
#include "compiler/Codegen/Kernels/Attend/AttendMask.h"

namespace attnc {

class TrimmedTiles : TiledContext {
public:
  using Value = mlir::Value;
  static constexpr int64_t step = 4;

  TrimmedTiles(const TiledContext &context, const GradientTiles &tiles)
      : TiledContext(context), ends(tiles.tileEnds), firsts(tiles.firstTiles) {}

  /// Fills the tables of a block; returns false if the mask has no such ends.
  bool find(const PairBlock &block, const AttendMask &mask);
  /// The key, counted in the block, from which on all pairs of the four rows of a tile are masked.
  Value endOf(Value tile) const;
  /// The first of these tiles that keeps one of four keys or a later one.
  Value firstOf(Value keyTile) const;

private:
  const Value ends, firsts; ///< of i32
};

} // namespace attnc
