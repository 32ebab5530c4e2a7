//===- Steps.h - steps of an entry point, and the last uses of its values -----------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace attnc {

/// Whether the op's result is a view into its first operand.
bool isViewOfOperand(mlir::Operation *op);

/// The ops of an entry point, numbered in program order, and the last uses of its values.
class Steps {
public:
  explicit Steps(mlir::func::FuncOp entry);

  std::vector<mlir::Operation *> ops;
  unsigned of(mlir::Operation *op) const { return numbers.lookup(op); }
  unsigned endOf(mlir::scf::ForOp loop) const { return of(loop.getBody()->getTerminator()); }
  /// The last step at which the bytes of `root` are needed.
  unsigned lastUse(mlir::Value root) const;
  /// Whether the call is the operand's last use, and uses it once.
  bool isLastUse(mlir::func::CallOp call, unsigned operand) const;

private:
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
};

} // namespace attnc
