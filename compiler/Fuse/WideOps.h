//===- WideOps.h - batching of an op over the iterations of a loop ------------------------------------------------===//
//
// An op in a loop has a wide op if each operand is an element of a per-iteration list or is defined outside of the
// loop: a linalg.generic on the lists, with one more loop. The wide op computes the list of the results, or their sum
// over the iterations, which are then one more reduction.
//
//   %y = generic %x_t, %w  (i, k) (k, j) -> (i, j)      list   (t, i, k) (k, j) -> (t, i, j)
//   %y = generic %x_t, %z_t  (k, i) (k, j) -> (i, j)    sum    (t, k, i) (t, k, j) -> (i, j)
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/LoopIterations.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// True if the value is defined outside of the loop.
bool isOutside(mlir::Value value, mlir::scf::ForOp loop);

/// True if the op has a wide op, provided that its operands have lists: it has one result, which depends on the
/// operands alone, and its initial value is defined outside of the loop.
bool canWiden(mlir::linalg::GenericOp op, mlir::scf::ForOp loop);

/// An operand of the wide op: a per-iteration list, or a value that all iterations read.
struct WideOperand {
  mlir::Value value;
  bool isList;
};

/// Creates the list of the results of all iterations at `builder`, outside of the loop; null if its size cannot be
/// computed there. `inputs` has the operand for each input of `op`, in order.
mlir::Value widen(mlir::OpBuilder &builder, mlir::linalg::GenericOp op, llvm::ArrayRef<WideOperand> inputs,
                  mlir::scf::ForOp loop, SymbolicShapes &shapes);

/// The same for the sum of the results of all iterations of an op that sums from zeros.
mlir::Value widenToSum(mlir::OpBuilder &builder, mlir::linalg::GenericOp op, llvm::ArrayRef<WideOperand> inputs,
                       SymbolicShapes &shapes);

} // namespace attnc
