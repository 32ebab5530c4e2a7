//===- FewRows.h - a few rows times a matrix ----------------------------------------------------------------------===//
//
// What a step of decoding does: each element of right meets so few rows that reading it is all of the time. Each is
// read once, from memory to registers, in whole units where it lies so; the depth is shared out, so that many reads are
// under way, and folded in an order that sizes alone decide.
//
//   right's neighbours     a block has                            of the depth, a thread takes
//   of a row's columns     8 units of columns                     every 32nd row of right; folded in warps, then over
//                                                                 shared memory, warp by warp
//   of the depth           8 columns, one a warp                  every 32nd unit of the column; folded in the warp
//
// Where those are so few blocks that processors are left idle, and each has much to read, the depth is cut into parts,
// a block each; they write their sums to the kernel's scratch, and a second phase adds them, part by part. How many
// parts there are, sizes decide that the compiler knows.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmOperand.h"

namespace attnc {

/// The most rows that are a few.
inline constexpr int64_t mostFewRows = 4;

struct FewRowsCode {
  std::vector<KernelPhase> phases;
  SizeExpr sharedBytes; ///< of the kernel's scratch
};
/// The phase `symbol`, and what adds its parts, for problems of at most that many rows.
FewRowsCode emitFewRows(const GemmProblem &problem, const std::string &symbol, mlir::ModuleOp code);

} // namespace attnc
