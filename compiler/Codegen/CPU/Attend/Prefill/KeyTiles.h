//===- KeyTiles.h - loops over the register tiles of a block of attention scores ----------------------------------===//
//
// The scores of a block of keys and a tile of queries are computed in register tiles. A register tile has a few keys
// and the vectors of queries from number firstVector on. For the earlier vectors, each of its keys is dropped by the
// mask (QueryTile::liveEnds), or is in a tile before it. ScoreProduct.cpp and DotScores.cpp use these functions.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/TileAccess.h"

namespace attnc {

/// A register tile: keys row .. row + rows - 1, counted from the first key of the block, and the vectors of queries
/// from number firstVector on.
struct KeyTileShape {
  mlir::Value row;
  int64_t rows, firstVector;
};

/// Emits loops over the register tiles of a block of `count` keys with the ends `liveEnds` (QueryTile::liveEnds; the
/// last one is `count`), and calls `body` to emit each kind of tile. A tile has `most` keys. Where tiles do not divide
/// the keys up to an end, the last tile before this end begins earlier, at key 0 at the earliest, and computes some
/// keys again. It may pass this end, but no tile passes `count`, so no key past the block is read. If the block has
/// fewer than `most` keys, its tiles have four keys, if `most` is at least 8 and the block has at least four; otherwise
/// they have one key and all vectors.
void forEachKeyTile(LoopBuilder &loops, mlir::Value count, mlir::ValueRange liveEnds, int64_t most,
                    llvm::function_ref<void(const KeyTileShape &)> body);

/// Emits a loop over the numbers 0 .. total - 1 that belong to one register tile of a block of `count` keys, if each
/// tile has an equal share of them. Some numbers may have no tile.
void forShareOfTile(LoopBuilder &loops, const KeyTileShape &tile, mlir::Value count, mlir::Value total,
                    llvm::function_ref<void(mlir::Value number)> body);

/// Emits stores of the scores of a register tile, `values`, [key][vector from tile.firstVector], in the tile `scores`,
/// [key][query]. If `maxima`, a tile [query], is not null, its elements become the maximum of themselves and the
/// scores.
void storeScores(const TileAccess &access, LoopBuilder &loops, const KeyTileShape &tile, mlir::ValueRange values,
                 mlir::Value scores, mlir::Value maxima);

} // namespace attnc
