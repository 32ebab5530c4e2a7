//===- DotScores.h - dot products of queries and strided keys in prefill attention, by a routine ------------------===//
//
//   scores[k][q] = sum_f keys[k][f] * queries[f][q]          for a block of keys k, a tile of queries q, features f
//
// ScoreProduct.cpp calls this code in the usual case: each key is a row of contiguous features, and consecutive keys
// have a constant distance. The code is a routine (Routine.h), so that the passes of a kernel, its phases with equal
// tiles, and the kernels of several entry points call one function.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/Nest/StridedRows.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// The operands. Tiles are flat memrefs of f32 (TileAccess.h).
struct DotScores {
  StridedRows keys;            ///< the keys of the block; `count` is their number, and `columns` is not used
  int64_t features;            ///< the number of features, at least 1
  mlir::Value queries, scores; ///< tiles: the packed queries, [feature][query]; the products, [key][query]
  /// Tile [query]: the rows' largest scores, which all products that are stored raise, also those of masked pairs; null
  /// if the caller does not need them.
  mlir::Value maxima;
  llvm::SmallVector<mlir::Value> liveEnds; ///< QueryTile::liveEnds, whose last end is keys.count (KeyTiles.h)
  StridedRows nextQueries;                 ///< the queries of the next tile, without `count`; prefetched if `isLast`
  /// The rows of `resultColumns` elements that the tile of queries stores after this block if `isLast`; then prefetched
  /// for writing. `flat` is null if nothing is prefetched, and `columns` is not used.
  StridedRows results;
  int64_t resultColumns = 0;
  mlir::Value isLast; ///< i1: whether this is the last block of keys of the pass
};

/// Emits a call of the routine in `module` that stores the products of all keys of the block and all queries of the
/// tile to `scores`. Products that `liveEnds` omits are unspecified: some are stored (forEachKeyTile).
void computeDotScores(FlatBuilder &code, mlir::ModuleOp module, const AttendSchedule &schedule,
                      const DotScores &operands);

} // namespace attnc
