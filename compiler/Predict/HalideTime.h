//===- HalideTime.h - how long code of blocks and branches computes -----------------------------------------------===//
//
// What Halide makes of a kernel is a function of the llvm dialect: loops are blocks that branch back. It is walked as
// CodeTime.h walks loops of ours, with the arguments of a call put in. How often a loop turns is told from the
// condition by which it is left, whose two sides change by the same in each turn:
//
//   ^loop(%i: i64, %sum: vector<16xf32>):     %i = 0, 1, ...
//     ...
//     %next = llvm.add %i, %one
//     %done = llvm.icmp "eq" %next, %n        first holds behind turn n - 1
//     llvm.cond_br %done, ^exit, ^loop(%next, %more)
//
// Where a number in a loop depends on the loop's index, that of the middle turn is taken. Of a condition on data, half
// of each side counts.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Predict/CodeTime.h"
#include "compiler/Predict/InstructionWork.h"
#include "compiler/Predict/Number.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attnc {

class HalideTime {
public:
  explicit HalideTime(const Machine &machine);
  ~HalideTime();

  struct Answer {
    std::optional<CodeCost> cost; ///< nothing where how often a loop turns is not known
    bool varies = false;          ///< then: because an argument varies
  };
  /// Folds what formulas left that were put in place of calls, as the back end would.
  static void simplify(mlir::LLVM::LLVMFuncOp function);

  /// Bytes of its code, and of that which has run in calls whose cost was asked for.
  double bytesOf(mlir::LLVM::LLVMFuncOp function) const;
  double bytesThatRan(mlir::LLVM::LLVMFuncOp function) const;

  /// Whether what has run works on whole vectors.
  bool isWide(mlir::LLVM::LLVMFuncOp function) const;

  /// Of one call of `function`.
  Answer costOf(mlir::LLVM::LLVMFuncOp function, llvm::ArrayRef<Number> arguments);

private:
  class Walk;
  WorkTime work;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<Walk>> walks;
};

} // namespace attnc
