//===- GemmEpilogue.h - from a block of sums to the result --------------------------------------------------------===//
//
// A tile of rows meets one panel of columns in worker scratch, [rows][nr]. The epilogue takes it from there, vector by
// vector, through the kernel's pointwise formula (if it has one) to the result:
//
//   result[b, m, n..n+lanes] = epilogue(block[m - m0, n - n0 .. +lanes], other operands at (b, m, n..))
//
// The sums of a short depth go there from registers: through scratch they would take as long as they took to compute.
//
// Each vector is read from all operands before it is stored, so that the result may lie over an operand that is read at
// the same place.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Gemm/GemmProblem.h"
#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

struct BlockOfSums {
  mlir::Value sums;     ///< flat, [..][nr]; null where they are in registers
  mlir::Value sumsRow;  ///< where row 0 lies in it
  mlir::Value batch;    ///< flat number of the matrix
  mlir::Value firstRow; ///< flat number of row 0
  mlir::Value rows;
  mlir::Value firstColumn;
  mlir::Value columns = {};                      ///< null: to the end of the panel or of the result
  llvm::SmallVector<mlir::Value> registers = {}; ///< row by row, nr floats of each
  mlir::Value skipped = {};                      ///< so many rows in registers are not stored; null where that is none
};

/// The most steps of k of a short depth.
inline constexpr int64_t shortDepth = 32;
/// Whether the formula is short enough to be written out for each vector of a tile in registers.
bool hasShortFormula(const GemmProblem &problem);

void emitEpilogue(FlatBuilder &code, const GemmProblem &problem, KernelFrame &frame, const BlockOfSums &block,
                  int64_t nr);

} // namespace attnc
