//===- TrimmedTiles.h - masked pairs that the products of the tiled gradient omit ---------------------------------===//
//
// If the indices of a row determine its last unmasked key, as under a causal mask, the mask cuts blocks at the
// diagonal. The products of such a block (TiledGradient.h) then omit the pairs after the last unmasked keys, in steps
// of four rows and four keys. A row tile is four consecutive rows of the block, and a key tile four consecutive keys.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/GradientTiles.h"
#include "compiler/Codegen/Kernels/Attend/AttendMask.h"

namespace attnc {

/// Two tables of a block, in a worker's scratch. Arguments and results of the functions are of type index.
struct TrimTables {
  mlir::Value ends, firsts; ///< memrefs of i32: [row tile], [key tile]

  /// The key, counted in the block, from which on all pairs of a row tile are masked; at most the block's keyCount.
  mlir::Value endOf(FlatBuilder &code, mlir::Value rowTile) const;
  /// The first row tile whose end is after the first key of a key tile: in all row tiles before it, the whole key tile
  /// is masked. The number of row tiles of the block if there is none.
  mlir::Value firstOf(FlatBuilder &code, mlir::Value keyTile) const;
};

/// Emits the code that fills the tables.
class TrimmedTiles : TiledContext {
public:
  using Value = mlir::Value;
  /// Rows of a row tile, and keys of a key tile. For trimmed blocks, ScoreGradients.cpp has register tiles of as many
  /// rows.
  static constexpr int64_t step = 4;

  TrimmedTiles(const TiledContext &context, const GradientTiles &tiles)
      : TiledContext(context), tables{tiles.tileEnds, tiles.firstTiles} {}

  /// Emits the code that fills `tables` for a block. Returns false if the mask determines no ends; then the tables must
  /// not be read. The result is available when code is generated, not only at run time.
  bool find(const PairBlock &block, const AttendMask &mask);

  const TrimTables tables;
};

} // namespace attnc
