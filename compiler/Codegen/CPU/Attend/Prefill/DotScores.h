//===- DotScores.h - dot products of queries and keys at a constant distance, by a routine --------------------===//
//
// The products of ScoreProduct.h for the usual case: a key is a row of contiguous features, and the keys have a
// constant distance. The passes of a kernel, its phases with equal tiles and the kernels of several entry points then
// call the same routine.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/Nest/StridedRows.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

struct DotScores {
  StridedRows keys;                        ///< of the block; count is their number
  int64_t features;                        ///< at least 1
  mlir::Value queries, scores;             ///< tiles: packed queries, [feature][query]; [key][query]
  mlir::Value maxima;                      ///< of the queries, raised by the scores; null: none
  llvm::SmallVector<mlir::Value> liveEnds; ///< QueryTile::liveEnds
  StridedRows nextQueries;                 ///< those of the next tile of queries, which are prefetched ...
  mlir::Value isLast;                      ///< ... in the last block of keys
};

/// Calls the routine in `module` that stores the products of a block of keys and all queries of a tile.
void computeDotScores(FlatBuilder &code, mlir::ModuleOp module, const AttendSchedule &schedule,
                      const DotScores &operands);

} // namespace attnc
