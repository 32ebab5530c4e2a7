//===- FewRows.h - product of a few rows with a matrix (GEMV) -----------------------------------------------------===//
//
// The product of a decoding step (GemmProblem.h). An element of the right operand is multiplied by few rows only, so
// the time is that of reading the right operand. Each of its elements is read once, from global memory to registers, by
// 16-byte accesses if it is aligned. The depth is distributed over threads, so that many reads are in flight; sums are
// reduced in an order that depends on sizes alone.
//
//   right contiguous along   a block has                     depth of a thread
//   columns                  the columns of 8 accesses       every 32nd row of right; reduced in warps, then in shared
//                                                            memory, warp by warp
//   depth                    8 columns, one for each warp    every 32nd access of the column; reduced in the warp
//
// If these are too few blocks to keep the device busy, and each has much to read, split-K applies: the depth is cut
// into slices, one block each. Blocks write partial sums to the kernel's scratch, and a second kernel phase adds them,
// slice by slice. Constant sizes alone determine the number of slices.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmOperand.h"

namespace attnc {

/// The largest number of rows of this algorithm.
inline constexpr int64_t maxFewRows = 4;

struct FewRowsCode {
  std::vector<KernelPhase> phases;
  SizeExpr sharedBytes; ///< scratch of the launch, for the sums of slices (KernelCode::sharedBytes)
};
/// Emits the phase `symbol` and, with split-K, the phase `symbol`$sum that adds the slices. If the number of rows is
/// dynamic, the caller launches them only for at most maxFewRows rows.
FewRowsCode emitFewRows(const GemmProblem &problem, const std::string &symbol, mlir::ModuleOp code);

} // namespace attnc
