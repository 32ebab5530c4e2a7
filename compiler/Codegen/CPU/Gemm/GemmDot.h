//===- GemmDot.h - products of few rows and an N x K matrix by dot products -------------------------------------===//
//
// A weight that is also a lookup table is stored [N, K]. A product with a few rows reads each of its elements once, so
// packing gains nothing. Lanes run along K, and each sum is reduced across the lanes at the end:
//
//   sums[r][c] = sum over lanes of ( sum over k = lane, lane + lanes, ... of left[r, k] * right[n0 + c, k] )
//
// Four columns at a time are read as four streams, each with several accumulators, and the next four are prefetched
// meanwhile. The bound is the memory bandwidth of right.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/FlatBuilder.h"

namespace attnc {

struct DotOperands {
  mlir::Value left;                          ///< flat
  llvm::SmallVector<mlir::Value> rowOffsets; ///< of each row in left, whose elements are contiguous
  mlir::Value right, rightOffset;            ///< flat; of the first column
  mlir::Value columns;                       ///< to be computed, at most nr
  mlir::Value depth;                         ///< K, also the distance between columns
  mlir::Value sums;                          ///< flat [rows][nr], written
};

void emitDots(FlatBuilder &code, const DotOperands &operands, int64_t nr, int64_t accumulators);

} // namespace attnc
