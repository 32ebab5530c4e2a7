//===- CopyRows.h - copies of tiles of a column-major left operand ----------------------------------------------===//
//
// A left operand whose rows are contiguous for each k is copied tile by tile, so that a register tile reads contiguous
// memory:
//
//   copied[tile][k][r] = left[(k0 + k) * step + first row of the tile + r]      a vector or more for each k
//
// Consecutive steps are independent, so that many cache misses overlap.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"

namespace attnc {

struct CopiedRows {
  mlir::Value source, offset; ///< flat; of row 0 at k0
  mlir::Value step;           ///< from one k to the next
  mlir::Value depth;          ///< steps to copy
  mlir::Value copied;         ///< flat, [tiles][longest][width]
  int64_t longest, width;     ///< width: the most rows of a tile
};

/// Copies `tiles` tiles: tile t has `height(t)` rows from row `first(t)` on.
void emitCopyRows(FlatBuilder &code, const CopiedRows &rows, mlir::Value tiles,
                  llvm::function_ref<mlir::Value(mlir::Value)> first,
                  llvm::function_ref<mlir::Value(mlir::Value)> height);

} // namespace attnc
