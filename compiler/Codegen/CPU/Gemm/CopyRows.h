//===- CopyRows.h - packing of a column-major left matrix into tiles of rows --------------------------------------===//
//
// The left operand of a matrix product, M x K, may be stored with its M rows contiguous for each step k of the depth K.
// Before the product, tiles of its rows are copied, so that a register tile reads contiguous memory:
//
//   copied[tile][k][r] = source[offset + k * step + first(tile) + r]      k < depth, r < height(tile)
//
// GemmOperands.cpp calls emitCopyRows. A step k copies one or more vectors of a tile. Consecutive steps are
// independent, so many cache misses overlap.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"

namespace attnc {

/// The source and the target of the copy. Values without another type are of type index.
struct CopiedRows {
  /// `source` is the left operand, a flat buffer (FlatBuilder.h) of f32, bf16 or f16. `offset` is the number of its
  /// element in row 0 at the first step to copy.
  mlir::Value source, offset;
  mlir::Value step;       ///< elements of `source` from one k to the next
  mlir::Value depth;      ///< steps to copy, at most `longest`
  mlir::Value copied;     ///< flat buffer of f32, [tile][longest][width]; other elements of it are left unchanged
  int64_t longest, width; ///< most steps that `copied` has room for; most rows of a tile
};

/// Emits the copy of `tiles` (index) tiles. Tile t has the `height(t)` rows from row `first(t)` on, at most `width`.
/// The callbacks receive t and return values of type index.
void emitCopyRows(FlatBuilder &code, const CopiedRows &rows, mlir::Value tiles,
                  llvm::function_ref<mlir::Value(mlir::Value)> first,
                  llvm::function_ref<mlir::Value(mlir::Value)> height);

} // namespace attnc
