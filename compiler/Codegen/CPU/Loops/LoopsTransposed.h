//===- LoopsTransposed.h - pointwise loops with transposed reads of operands --------------------------------------===//
//
// A pointwise op, such as a transpose, may read an operand along a dimension that is not the last one of the results.
// This code reads such operands in tiles that are transposed in registers. Loops.cpp calls both functions.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// The loops of a pointwise op with a transposed read. `lane` is the loop of the last dimension of all results, and
/// `contiguous` the loop of the last dimension of the transposed operands. These operands are read in tiles of L x L,
/// for L f32 lanes, and transposed in registers, so that lanes run along `lane`.
struct TransposedLoops {
  unsigned lane, contiguous;            ///< numbers of loops
  llvm::SmallVector<unsigned> operands; ///< numbers of the transposed operands; all others are read as usual
};
/// Matches `op`. Null in these cases:
/// - `op` has a reduction loop, fewer than two loops, or a formula of more than 16 instructions;
/// - a result has a subscript that is not a loop, or the last dimensions of the results are not the same loop;
/// - it has no transposed operand: one of 32-bit elements that the formula uses, whose subscripts are different loops,
///   one of which is `lane`, but not the last one. If such operands have several last dimensions, `contiguous` is that
///   of the first operand, and operands with another one are not transposed.
std::optional<TransposedLoops> matchTransposedLoops(mlir::linalg::GenericOp op);
/// Appends the function of the kernel's only phase to `code`, under the name of the kernel, and returns the phase and
/// the cost. `kernel` returns the results of `op`, and `transposed` is matchTransposedLoops(op).
KernelCode emitTransposed(mlir::func::FuncOp kernel, mlir::linalg::GenericOp op, const TransposedLoops &transposed,
                          const Target &target, mlir::ModuleOp code);

} // namespace attnc
