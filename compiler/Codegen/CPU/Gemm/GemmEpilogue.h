//===- GemmEpilogue.h - from a block of sums to the result --------------------------------------------------------===//
//
// A tile of rows meets one panel of columns in worker scratch, [rows][nr]. The epilogue takes it from there, vector by
// vector, through the kernel's pointwise formula (if it has one) to the result:
//
//   result[b, m, n..n+lanes] = epilogue(block[m - m0, n - n0 .. +lanes], other operands at (b, m, n..))
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
  mlir::Value sums;     ///< flat, [..][nr]
  mlir::Value sumsRow;  ///< where row 0 lies in it
  mlir::Value batch;    ///< flat number of the matrix
  mlir::Value firstRow; ///< flat number of row 0
  mlir::Value rows;
  mlir::Value firstColumn;
};

void emitEpilogue(FlatBuilder &code, const GemmProblem &problem, KernelFrame &frame, const BlockOfSums &block,
                  int64_t nr);

} // namespace attnc
