//===- WideOps.h - batching of an op over the iterations of a loop ------------------------------------------------===//
//
// An op in a loop whose operands are elements of per-iteration lists, or are defined outside of the loop, has a wide op
// on the lists: a linalg.generic with one more loop. It computes the list of the results, or their sum over the
// iterations, which are one more reduction then.
//
//   %y = generic %x_t, %w  (i, k) (k, j) -> (i, j)      list   (t, i, k) (k, j) -> (t, i, j)
//   %y = generic %x_t, %z_t  (k, i) (k, j) -> (i, j)    sum    (t, k, i) (t, k, j) -> (i, j)
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/LoopIterations.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// Whether the value is defined outside of the loop.
bool isOutside(mlir::Value value, mlir::scf::ForOp loop);

/// Whether the op has a wide op if its operands have lists: it has one result, a function of the operands alone, and
/// the initial value is defined outside of the loop.
bool canWiden(mlir::linalg::GenericOp op, mlir::scf::ForOp loop);

/// An operand of the wide op: a per-iteration list, or a value that all iterations read.
struct WideOperand {
  mlir::Value value;
  bool isList;
};

/// The list of the results of all iterations; null if its size is not known outside of the loop.
mlir::Value widen(mlir::OpBuilder &builder, mlir::linalg::GenericOp op, llvm::ArrayRef<WideOperand> inputs,
                  mlir::scf::ForOp loop, SymbolicShapes &shapes);

/// The sum of the results of all iterations of an op that sums from zeros.
mlir::Value widenToSum(mlir::OpBuilder &builder, mlir::linalg::GenericOp op, llvm::ArrayRef<WideOperand> inputs,
                       SymbolicShapes &shapes);

} // namespace attnc
