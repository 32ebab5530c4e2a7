//===- CopyRows.h - copies of tiles of a column-major left operand ----------------------------------------------===//
//
// A left operand whose rows are contiguous for each k is copied tile by tile, so that a register tile reads contiguous
// memory:
//
//   copied[tile][k][r] = source[offset + k * step + first(tile) + r]      k < depth, r < height(tile)
//
// A step copies one vector or more. Consecutive steps are independent, so that many cache misses overlap.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"

namespace attnc {

struct CopiedRows {
  mlir::Value source, offset; ///< left, flat, in its storage type; the offset of row 0 at the first step to copy
  mlir::Value step;           ///< elements of `source` from one k to the next
  mlir::Value depth;          ///< steps to copy, at most `longest`
  mlir::Value copied;         ///< flat f32, [tile][longest][width]; elements that are not copied are left unchanged
  int64_t longest, width;     ///< the most steps; the most rows of a tile
};

/// Emits the copy of tiles 0 .. tiles - 1: tile t has `height(t)` rows from row `first(t)` on.
void emitCopyRows(FlatBuilder &code, const CopiedRows &rows, mlir::Value tiles,
                  llvm::function_ref<mlir::Value(mlir::Value)> first,
                  llvm::function_ref<mlir::Value(mlir::Value)> height);

} // namespace attnc
