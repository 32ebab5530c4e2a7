//===- CopyRows.h - rows of a matrix that lies by columns -------------------------------------------------------===//
//
// The left-hand side of a product where it lies by steps of k, copied so that a register tile reads it from start to
// end:
//
//   copied[tile][k][r] = left[(k0 + k) * step + first row of the tile + r]      a vector or more for each k
//
// Steps follow each other closely, so that many of their lines are on the way at once.
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

/// Copies `tiles` tiles: tile t has `rowsOf(t)` rows from row `firstOf(t)` on.
void emitCopyRows(FlatBuilder &code, const CopiedRows &rows, mlir::Value tiles,
                  llvm::function_ref<mlir::Value(mlir::Value)> firstOf,
                  llvm::function_ref<mlir::Value(mlir::Value)> rowsOf);

} // namespace attnc
