//===- GemmDot.h - product of a few rows and an N x K matrix by dot products --------------------------------------===//
//
// A product of M rows of the left operand (M x K) and a right operand that is stored as N x K, such as an embedding
// table. With few rows, each element of right is read once, so packing right gains nothing. Vector lanes run along K,
// and each sum is reduced across its lanes at the end:
//
//   sums[r][c] = sum over lanes of ( sum over k = lane, lane + lanes, ... of left[r, k] * right[n0 + c, k] )
//
// Column n0 + c of the product belongs to row n0 + c of right. The code computes four columns at a time: it reads four
// rows of right as four streams and prefetches the next four, also past the end of right. A remainder is computed
// column by column. If registers suffice, each sum has several accumulators. The memory bandwidth of right bounds the
// time. GemmPhase.cpp calls emitDots for each group of nr columns.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"

namespace attnc {

/// The operands. `left` and `right` are flat buffers (FlatBuilder.h) of f32, bf16 or f16. Offsets and sizes are of type
/// index, in elements.
struct DotOperands {
  mlir::Value left;                          ///< each row is contiguous along k
  llvm::SmallVector<mlir::Value> rowOffsets; ///< the offset in `left` of each row at k = 0; as many as there are rows
  mlir::Value right, rightOffset;            ///< the right operand; the offset in it of column n0 at k = 0
  mlir::Value columns;                       ///< number of columns to compute, at most nr
  mlir::Value depth;                         ///< K, also the distance in `right` from one column to the next
  mlir::Value sums;                          ///< flat f32 [rows][nr]: the first `columns` of each row are written
};

/// Emits the code that stores the dot products to `operands.sums`. `nr` is the length of a row of the sums. At most
/// `accumulators` vector registers hold sums, but at least one for each sum; each sum uses 1, 2 or 4 of them.
void emitDots(FlatBuilder &code, const DotOperands &operands, int64_t nr, int64_t accumulators);

} // namespace attnc
