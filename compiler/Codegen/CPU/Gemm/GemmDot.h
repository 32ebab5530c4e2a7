//===- GemmDot.h - few rows against a matrix that lies N x K ------------------------------------------------------===//
//
// A weight that is shared with a table lookup lies [N, K], and a single row meets each of its elements once: there is
// nothing to gain from packing it. The lanes run along K then, and each sum is added across the lanes at the end:
//
//   sums[r][c] = sum over lanes of ( sum over k = lane, lane + lanes, ... of left[r, k] * right[n0 + c, k] )
//
// Four columns at a time are read as four streams, each in several partial sums, and the next four are fetched
// meanwhile. Bound by the bandwidth of right.
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
