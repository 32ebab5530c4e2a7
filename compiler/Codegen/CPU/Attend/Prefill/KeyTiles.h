//===- KeyTiles.h - register tiles of a block of scores -------------------------------------------------------===//
//
// A register tile has a few keys of the block and the vectors of queries from number firstVector on, as the mask drops
// the keys for earlier ones (QueryTile::liveEnds).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/TileAccess.h"

namespace attnc {

/// The keys of a tile are row .. row + rows - 1, counted from the first key of the block.
struct KeyTileShape {
  mlir::Value row;
  int64_t rows, firstVector;
};

/// Calls `body` in loops over register tiles of `most` keys, for a block of `count` keys with these live ends. The last
/// tile begins early where tiles do not divide the keys: no key past the end is read. Few keys are in tiles of fewer.
void forEachKeyTile(LoopBuilder &loops, mlir::Value count, mlir::ValueRange liveEnds, int64_t most,
                    llvm::function_ref<void(const KeyTileShape &)> body);

/// Stores the scores of a register tile, [key][live vector], in `scores`, [key][query], and raises the maxima of the
/// queries, a tile of one row (null: none).
void storeScores(const TileAccess &access, LoopBuilder &loops, const KeyTileShape &tile, mlir::ValueRange values,
                 mlir::Value scores, mlir::Value maxima);

} // namespace attnc
