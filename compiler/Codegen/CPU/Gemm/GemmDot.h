//===- GemmDot.h - products of few rows and an N x K matrix by dot products -------------------------------------===//
//
// A weight that is also a lookup table is stored [N, K]. A product with a few rows reads each of its elements once, so
// packing gains nothing. Lanes run along K, and each sum is reduced across the lanes at the end:
//
//   sums[r][c] = sum over lanes of ( sum over k = lane, lane + lanes, ... of left[r, k] * right[n0 + c, k] )
//
// for column n0 + c of the product, row n0 + c of right. Four columns at a time are read as four streams, if possible
// with several accumulators for each sum, and the next four are prefetched meanwhile; a remainder column by column. The
// bound is the memory bandwidth of right.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"

namespace attnc {

struct DotOperands {
  mlir::Value left;                          ///< flat
  llvm::SmallVector<mlir::Value> rowOffsets; ///< of each row in left, which is contiguous along k
  mlir::Value right, rightOffset;            ///< flat; the offset of column n0
  mlir::Value columns;                       ///< number of columns to compute, at most nr
  mlir::Value depth;                         ///< K, also the distance in right between columns
  mlir::Value sums;                          ///< flat f32 [rows][nr]: the first `columns` of each row are written
};

/// `accumulators` is the number of vector registers for sums; each sum uses 1, 2 or 4 of them.
void emitDots(FlatBuilder &code, const DotOperands &operands, int64_t nr, int64_t accumulators);

} // namespace attnc
