//===- GemmEpilogue.h - epilogue of a block of sums -------------------------------------------------------------===//
//
// The sums of a register tile, rows of the product times the columns of a panel, are in worker scratch, [rows][nr]. The
// epilogue loads them vector by vector, applies the kernel's pointwise formula (if it has one) and stores the result:
//
//   result[b, m, n..n+lanes] = epilogue(block[m - m0, n - n0 .. +lanes], other operands at (b, m, n..))
//
// with m0 = firstRow and n0 = firstColumn. If the depth is short, the sums are in registers instead: a round trip
// through scratch would take as long as the product.
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

/// Sums of rows m0, m0 + 1, ... and columns n0, n0 + 1, ... of one matrix. Numbers are flat numbers of the loop groups
/// of GemmProblem.h.
struct BlockOfSums {
  mlir::Value sums;                              ///< flat f32, [..][nr]; null if they are in registers
  mlir::Value sumsRow;                           ///< the row of `sums` that is row m0
  mlir::Value batch;                             ///< number of the matrix
  mlir::Value firstRow;                          ///< m0
  mlir::Value rows;                              ///< to store, if the sums are in scratch
  mlir::Value firstColumn;                       ///< n0
  mlir::Value columns = {};                      ///< to store; null: nr, or those left in the result if these are fewer
  llvm::SmallVector<mlir::Value> registers = {}; ///< vectors of sums, row by row, nr / lanes of each row
  mlir::Value skipped = {};                      ///< number of first rows in registers not to store; null: none
};

/// The most steps of k of a depth that counts as short.
inline constexpr int64_t shortDepth = 32;
/// Whether the formula is short enough to be emitted for each vector of a tile in registers; true if there is none.
bool hasShortFormula(const GemmProblem &problem);

/// `nr` is the length of a row of sums, whole vectors.
void emitEpilogue(FlatBuilder &code, const GemmProblem &problem, KernelFrame &frame, const BlockOfSums &block,
                  int64_t nr);

} // namespace attnc
