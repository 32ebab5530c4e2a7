//===- Steps.h - program order of an entry point, and the last uses of its values ---------------------------------===//
//
// A step is the number of an op of an entry point in program order, from 0; an op comes before the ops inside of it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace attnc {

/// True if the op's result has no bytes of its own, but refers to those of its first operand: reshapes, casts and
/// model.element.
bool isViewOfOperand(mlir::Operation *op);

/// The steps of one entry point, as of construction.
class Steps {
public:
  explicit Steps(mlir::func::FuncOp entry);

  std::vector<mlir::Operation *> ops; ///< by step
  /// The step of an op of the entry point.
  unsigned of(mlir::Operation *op) const { return numbers.lookup(op); }
  /// The step at which an iteration of the loop ends: that of the terminator of its body.
  unsigned endOf(mlir::scf::ForOp loop) const { return of(loop.getBody()->getTerminator()); }
  /// The last step at which the bytes of `root` (EntryPlan::root) are needed, through views too; 0 if they are not
  /// used. A tensor.dim does not need them. A use in a loop outside of which `root` is defined counts at the end of the
  /// loop.
  unsigned lastUse(mlir::Value root) const;
  /// True if no later op uses the bytes of operand number `operand`, and no other operand of the call refers to them.
  bool isLastUse(mlir::func::CallOp call, unsigned operand) const;

private:
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
};

} // namespace attnc
