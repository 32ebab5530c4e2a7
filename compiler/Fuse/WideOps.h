//===- WideOps.h - an op of a loop's body for all turns at once ---------------------------------------------------===//
//
// Of an op whose operands are elements of lists, or come from outside of the loop, there is a wide form on the lists: a
// linalg.generic with one loop more. It makes the list of the results, or, where only the sum over the turns is wanted,
// that sum: then the turns are one more reduction.
//
//   %y = generic %x_t, %w  (i, k) (k, j) -> (i, j)      list   (t, i, k) (k, j) -> (t, i, j)
//   %y = generic %x_t, %z_t  (k, i) (k, j) -> (i, j)    sum    (k, i) (k, j) of t too -> (i, j)
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Fuse/Turns.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// Does the value lie outside of the loop?
bool isOutside(mlir::Value value, mlir::scf::ForOp loop);

/// Has the op a wide form, if its operands have lists? One result, made of the operands alone, and whatever it starts
/// from known outside.
bool canWiden(mlir::linalg::GenericOp op, mlir::scf::ForOp loop);

/// An operand of the wide form: a list, or what all turns read.
struct WideOperand {
  mlir::Value value;
  bool isList;
};

/// The list of the results of all turns; null where its size is not known outside of the loop.
mlir::Value widen(mlir::OpBuilder &builder, mlir::linalg::GenericOp op, llvm::ArrayRef<WideOperand> inputs,
                  mlir::scf::ForOp loop, SymbolicShapes &shapes);

/// The sum of the results of all turns, of an op that sums from zeros.
mlir::Value widenToSum(mlir::OpBuilder &builder, mlir::linalg::GenericOp op, llvm::ArrayRef<WideOperand> inputs,
                       SymbolicShapes &shapes);

} // namespace attnc
