//===- GemmEpilogue.h - epilogue of a block of sums of a matrix product -------------------------------------------===//
//
// The matrix product leaves a block of f32 sums in worker scratch, [rows][nr]: some rows of the product, and the nr
// columns of one panel. The epilogue loads the sums vector by vector, applies the kernel's pointwise formula (if the
// kernel has one) and stores the result in its storage type:
//
//   result[b, m, n..n+lanes] = epilogue(block[m - m0, n - n0 .. +lanes], other operands at (b, m, n..))
//
// with the matrix number b = batch, m0 = firstRow and n0 = firstColumn. The caller may pass the sums in registers
// instead: GemmPhase does so for a short constant depth and a short formula (GemmSchedule::storesFromRegisters), and
// SplitKGemm for a product without slices. A round trip through scratch would take as long as such a product.
//
// Each vector is read from all operands before it is stored, so the result may overwrite an operand that is read at the
// same coordinates. GemmPhase.cpp and SplitKGemm.cpp call emitEpilogue.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Gemm/GemmProblem.h"
#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

class ProductRows;

/// The sums of rows m0, m0 + 1, ... and columns n0, n0 + 1, ... of one matrix of the product. Values without another
/// type are of type index. Rows, columns and matrices are flat numbers of the loop groups of GemmProblem.h.
struct BlockOfSums {
  mlir::Value sums;        ///< flat buffer of f32, [..][nr]; null if the sums are in `registers`
  mlir::Value sumsRow;     ///< the row of `sums` that is row m0; not read if the sums are in registers
  mlir::Value batch;       ///< number of the matrix
  mlir::Value firstRow;    ///< m0
  mlir::Value rows;        ///< number of rows to store; not read if the sums are in registers
  mlir::Value firstColumn; ///< n0; a multiple of the vector length if several column loops have a size other than 1
  /// The number of columns to store, at most nr. Null: all nr, or as many as the result has left; firstColumn must then
  /// be a multiple of nr.
  mlir::Value columns = {};
  llvm::SmallVector<mlir::Value> registers = {}; ///< vectors of f32, row by row, nr / lanes of each row; else empty
  const ProductRows *sorted = nullptr; ///< of a grouped product, whose rows are numbered by it; null for other products
  mlir::Value skipped = {}; ///< number of rows of `registers`, the first ones, that are not stored; null: none
};

/// The largest constant depth at which GemmPhase stores sums from registers.
inline constexpr int64_t shortDepth = 32;
/// Whether the kernel's pointwise formula is so short (at most four instructions) that its code may be emitted for each
/// vector of a tile in registers. True if the kernel has no formula.
bool hasShortFormula(const GemmProblem &problem);

/// Emits the epilogue of `block` into the open phase `frame` of the kernel of `problem`. `nr` is the length of a row of
/// the sums, a multiple of the vector length.
void emitEpilogue(FlatBuilder &code, const GemmProblem &problem, KernelFrame &frame, const BlockOfSums &block,
                  int64_t nr);

} // namespace attnc
