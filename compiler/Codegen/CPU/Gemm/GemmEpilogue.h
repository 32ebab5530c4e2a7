//===- GemmEpilogue.h - epilogue of a block of sums -------------------------------------------------------------===//
//
// The sums of a tile and a panel are in worker scratch, [rows][nr]. The epilogue loads them vector by vector, applies
// the kernel's pointwise formula (if it has one) and stores the result:
//
//   result[b, m, n..n+lanes] = epilogue(block[m - m0, n - n0 .. +lanes], other operands at (b, m, n..))
//
// The sums of a short depth are read from registers: a round trip through scratch would take as long as the product.
//
// Each vector is read from all operands before it is stored, so the result may overwrite an operand that is read at the
// same coordinates.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Gemm/GemmProblem.h"
#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

struct BlockOfSums {
  mlir::Value sums;     ///< flat, [..][nr]; null if they are in registers
  mlir::Value sumsRow;  ///< number of row 0 in it
  mlir::Value batch;    ///< flat number of the matrix
  mlir::Value firstRow; ///< flat number of row 0
  mlir::Value rows;
  mlir::Value firstColumn;
  mlir::Value columns = {};                      ///< null: to the end of the panel or of the result
  llvm::SmallVector<mlir::Value> registers = {}; ///< row by row, nr floats of each
  mlir::Value skipped = {};                      ///< the first rows in registers that are not stored; null: none
};

/// The most steps of k of a short depth.
inline constexpr int64_t shortDepth = 32;
/// Whether the formula is short enough to be emitted for each vector of a tile in registers.
bool hasShortFormula(const GemmProblem &problem);

void emitEpilogue(FlatBuilder &code, const GemmProblem &problem, KernelFrame &frame, const BlockOfSums &block,
                  int64_t nr);

} // namespace attnc
