//===- HalideTime.h - static cost model of control-flow graphs (code of Halide) -----------------------------------===//
//
// A part of CodeTime (CodeTime.h) for kernels that Halide compiles. Their functions are of the llvm dialect, and their
// loops are blocks with back edges. The model walks the blocks as CodeTime walks scf loops, with concrete arguments of
// a call. The number of iterations of a loop follows from its exit condition. If both sides of the condition are affine
// in the iteration number, as below, it is computed from them; otherwise the condition is evaluated for one iteration
// after the other, at most 256. If a loop has several exits, the one that is reached first counts.
//
//   ^loop(%i: i64, %sum: vector<16xf32>):     %i = 0, 1, ...
//     ...
//     %next = llvm.add %i, %one
//     %done = llvm.icmp "eq" %next, %n        first true after iteration n - 1
//     llvm.cond_br %done, ^exit, ^loop(%next, %more)
//
// In the body of a loop, a number that depends on the induction variable has its value at the middle iteration. If a
// condition depends on data, half of each branch counts.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Predict/CodeTime.h"
#include "compiler/Predict/InstructionWork.h"
#include "compiler/Predict/Number.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attnc {

/// The cost model of the functions of Halide in one module. Results are cached, so the functions must not change after
/// simplify(). `machine` must outlive the object.
class HalideTime {
public:
  explicit HalideTime(const Machine &machine);
  ~HalideTime();

  struct Answer {
    /// Null if the function is external, if the iterations of a loop are unknown, or if a branch depends on a number of
    /// kind Number::Varies.
    std::optional<CodeCost> cost;
    bool varies = false; ///< if `cost` is null: whether an argument of kind Number::Varies may be the cause
  };
  /// Simplifies `function` in place: folds the formulas that replaced opaque calls, as the back end would. Call before
  /// the other members.
  static void simplify(mlir::LLVM::LLVMFuncOp function);

  /// The estimated bytes of the machine code of `function`.
  double bytesOf(mlir::LLVM::LLVMFuncOp function) const;
  /// The part of these bytes that is executed by the calls that costOf() has evaluated so far; 0 if there are none.
  double executedBytes(mlir::LLVM::LLVMFuncOp function) const;

  /// Whether the code executed by these calls uses full-width vectors.
  bool isWide(mlir::LLVM::LLVMFuncOp function) const;

  /// The cost of one call of `function`. `arguments` has an element for each argument; for a pointer, it is Number().
  Answer costOf(mlir::LLVM::LLVMFuncOp function, llvm::ArrayRef<Number> arguments);

private:
  class Walk;
  WorkTime work;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<Walk>> walks;
};

} // namespace attnc
