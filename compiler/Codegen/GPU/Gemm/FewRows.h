//===- FewRows.h - product of a few rows with a matrix (GEMV) -----------------------------------------------------===//
//
// The algorithm for products (GemmProblem.h) of at most four rows, as in a decoding step. An element of the right
// operand is multiplied by few rows only, so the time is that of reading the right operand. Each of its elements is
// read once, from global memory to registers. An access of a thread reads 16 bytes of the right operand if its layout
// permits this, otherwise one element. The depth is distributed over threads, so that many reads are in flight; sums
// are reduced in an order that depends on sizes alone.
//
//   right contiguous along   a block has                     depth of a thread
//   columns                  the columns of 8 accesses       every 32nd row of right; reduced in warps, then in shared
//                                                            memory, warp by warp
//   depth                    8 columns, one for each warp    every 32nd access of the column; reduced in the warp
//
// If these are too few blocks to keep the device busy, and each has much to read, split-K applies: the depth is cut
// into slices, and a block computes one slice for its columns. Blocks write partial sums to the kernel's shared
// scratch, and a second kernel phase adds them, slice by slice. The number of slices is a constant of the code. It is
// 1, and split-K does not apply, if the depth, the batch or the number of columns is dynamic or 0.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmOperand.h"

namespace attnc {

/// The largest number of rows of this algorithm.
inline constexpr int64_t maxFewRows = 4;

/// The phases of the algorithm, in the order of execution.
struct FewRowsCode {
  std::vector<KernelPhase> phases;
  SizeExpr sharedBytes; ///< KernelCode::sharedBytes: scratch for the sums of slices; 0 without split-K
};
/// Appends to the device's module `code` the function `symbol` and, with split-K, the function `symbol`$sum that adds
/// the slices. Records the algorithm of each phase on the kernel (KernelForms.h). Requires that a launch has 1 to
/// maxFewRows rows: for any other number of rows, the caller multiplies the chunks of the phases by 0.
FewRowsCode emitFewRows(const GemmProblem &problem, const std::string &symbol, mlir::ModuleOp code);

} // namespace attnc
