//===- LoopsTransposed.h - pointwise loops with transposed reads of operands ------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// Loops of a pointwise op with a transposed read: operands whose last dimension runs along `contiguous` are read in
/// tiles, which are transposed in registers so that lanes run along `lane`, the last loop of the results.
struct TransposedLoops {
  unsigned lane, contiguous;
  llvm::SmallVector<unsigned> operands; ///< numbers of the operands that are transposed
};
std::optional<TransposedLoops> matchTransposedLoops(mlir::linalg::GenericOp op);
KernelCode emitTransposed(mlir::func::FuncOp kernel, mlir::linalg::GenericOp op, const TransposedLoops &transposed,
                          const Target &target, mlir::ModuleOp code);

} // namespace attnc
