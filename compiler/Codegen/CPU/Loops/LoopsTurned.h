//===- LoopsTurned.h - pointwise loops whose operands lie in another order ------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// Loops of a pointwise op by which tiles are read: operands whose last dimension runs along `contiguous` are
/// transposed to have `lane`, the results' last, in the lanes.
struct TurnedLoops {
  unsigned lane, contiguous;
  llvm::SmallVector<unsigned> operands; ///< numbers of those that are transposed
};
std::optional<TurnedLoops> matchTurnedLoops(mlir::linalg::GenericOp op);
KernelCode emitTurned(mlir::func::FuncOp kernel, mlir::linalg::GenericOp op, const TurnedLoops &turned,
                      const Target &target, mlir::ModuleOp code);

} // namespace attnc
