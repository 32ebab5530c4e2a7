//===- WideOps.h - batching of an op over the iterations of a loop ------------------------------------------------===//
//
// A linalg.generic in a loop can be moved out of the loop if each operand is an element of a per-iteration list or is
// defined outside of the loop. The **wide op** replaces it: a linalg.generic on whole lists, with one more loop, over
// the iterations t. It computes the list of the results, or the sum of the results over all iterations. In the second
// case the iterations are one more reduction.
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

/// True if `op` has a wide op, provided that its inputs are per-iteration lists or defined outside of the loop. `op`
/// has one result and at least one input, its body captures no value of the loop, and if the body reads its initial
/// value, this is a linalg.fill with a scalar from outside of the loop.
bool canWiden(mlir::linalg::GenericOp op, mlir::scf::ForOp loop);

/// An input of the wide op: a per-iteration list, or a value that all iterations read.
struct WideOperand {
  mlir::Value value;
  bool isList;
};

/// Creates the wide op of `op`, for which canWiden() is true, at `builder`, outside of the loop. Returns the list of
/// the results of all iterations; null if the function's arguments do not determine its shape. `inputs` has the operand
/// for each input of `op`, in order.
mlir::Value widen(mlir::OpBuilder &builder, mlir::linalg::GenericOp op, llvm::ArrayRef<WideOperand> inputs,
                  mlir::scf::ForOp loop, SymbolicShapes &shapes);

/// Like widen(), but returns the sum of the results of all iterations. `op` must be a sum that starts from zeros.
mlir::Value widenToSum(mlir::OpBuilder &builder, mlir::linalg::GenericOp op, llvm::ArrayRef<WideOperand> inputs,
                       SymbolicShapes &shapes);

} // namespace attnc
