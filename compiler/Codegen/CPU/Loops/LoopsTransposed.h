//===- LoopsTransposed.h - pointwise loops with transposed reads of operands ------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// Loops of a pointwise op with a transposed read: operands whose last dimension runs along `contiguous` are read in
/// tiles of L x L, for L f32 lanes, which are transposed in registers so that lanes run along `lane`, the loop of the
/// last dimension of all results.
struct TransposedLoops {
  unsigned lane, contiguous;            ///< numbers of loops
  llvm::SmallVector<unsigned> operands; ///< numbers of the operands that are transposed; others are read as usual
};
/// Null if `op` has a reduction loop or a long formula, or no operand of 32-bit elements that depends on `lane` and is
/// contiguous along another loop.
std::optional<TransposedLoops> matchTransposedLoops(mlir::linalg::GenericOp op);
/// Appends the function of the only phase of `kernel`, which returns results of `op`, to `code`.
KernelCode emitTransposed(mlir::func::FuncOp kernel, mlir::linalg::GenericOp op, const TransposedLoops &transposed,
                          const Target &target, mlir::ModuleOp code);

} // namespace attnc
