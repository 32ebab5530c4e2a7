//===- HalideTime.h - static cost model of control-flow graphs (code of Halide) -----------------------------------===//
//
// Halide compiles a kernel to a function of the llvm dialect, whose loops are blocks with back edges. The model walks
// them as CodeTime walks scf loops, with concrete arguments of a call. The iterations of a loop follow from its exit
// condition, whose two sides are affine in the iteration number:
//
//   ^loop(%i: i64, %sum: vector<16xf32>):     %i = 0, 1, ...
//     ...
//     %next = llvm.add %i, %one
//     %done = llvm.icmp "eq" %next, %n        first true after iteration n - 1
//     llvm.cond_br %done, ^exit, ^loop(%next, %more)
//
// A number that depends on the induction variable is evaluated at the middle iteration. If a condition depends on data,
// half of each side counts.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Predict/CodeTime.h"
#include "compiler/Predict/InstructionWork.h"
#include "compiler/Predict/Number.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attnc {

/// The cost model of the functions of Halide in one module. Results are cached, so the functions must not change.
class HalideTime {
public:
  explicit HalideTime(const Machine &machine);
  ~HalideTime();

  struct Answer {
    std::optional<CodeCost> cost; ///< null if the iterations of a loop are unknown
    bool varies = false;          ///< without cost: whether a varying argument is the cause
  };
  /// Folds the formulas that replaced opaque calls, as the back end would.
  static void simplify(mlir::LLVM::LLVMFuncOp function);

  /// Bytes of the code of `function`, and of that part of it that the calls evaluated by costOf() so far execute.
  double bytesOf(mlir::LLVM::LLVMFuncOp function) const;
  double executedBytes(mlir::LLVM::LLVMFuncOp function) const;

  /// Whether the executed code uses full-width vectors.
  bool isWide(mlir::LLVM::LLVMFuncOp function) const;

  /// Cost of one call of `function`, with a number for each argument; for a pointer, Number().
  Answer costOf(mlir::LLVM::LLVMFuncOp function, llvm::ArrayRef<Number> arguments);

private:
  class Walk;
  WorkTime work;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<Walk>> walks;
};

} // namespace attnc
