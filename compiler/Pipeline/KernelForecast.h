//===- KernelForecast.h - predicted time of a kernel under another emitter or schedule ----------------------------===//
//
// Generates code for one kernel in a scratch module and predicts its time with the cost model (compiler/Predict). The
// context of the whole program is ignored: operands and results are assumed to come from the smallest cache after the
// first level that holds them all. Predicted times are therefore comparable only for the same kernel.
//
// Sizes of dimensions are those of --at, else their declared bounds, else 64.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Memory/Plan.h"
#include "compiler/Predict/Machine.h"
#include "llvm/ADT/DenseMap.h"

namespace attnc {

class KernelForecast {
public:
  /// Gathers the sizes of all kernels that entry points of `module` call.
  KernelForecast(mlir::ModuleOp module, const Target &target, const Machine &machine, const NamedSizes &at);

  bool isCalled(mlir::func::FuncOp kernel) const { return sizes.contains(kernel); }
  /// The predicted time of the code of `emitter` for `changed`, which is the kernel or a copy with another schedule;
  /// neither is modified. The seconds are summed over one launch of each combination of sizes, at most four, with which
  /// entry points call the kernel. Null if the emitter refuses the kernel or fails, if control flow depends on data, or
  /// if the work of a launch is too large to be counted.
  std::optional<double> secondsOf(mlir::func::FuncOp kernel, mlir::func::FuncOp changed, const Emitter &emitter) const;
  /// An estimate of secondsOf() for fast code: overhead of launches, arithmetic and functions of linalg.generic on full
  /// vectors, and traffic of operands and results. It omits integers, subscripts and scatters.
  double leastOf(mlir::func::FuncOp kernel) const;
  /// The estimated share that `seconds` of each launch of the kernel have in the time of an entry point; the largest of
  /// all entry points. The time of an entry point is estimated as the sum of leastOf() of its launches.
  double shareOf(mlir::func::FuncOp kernel, double seconds) const;

private:
  using Sizes = std::vector<int64_t>;
  /// Launches of kernels by one call of an entry point.
  struct Launches {
    double seconds = 0;                                ///< estimates for all launches
    llvm::DenseMap<mlir::Operation *, double> numbers; ///< launches of each kernel
  };
  void gatherSizes(mlir::func::FuncOp entry, const NamedSizes &at);
  double leastOf(mlir::func::FuncOp kernel, const Sizes &sizes) const;

  mlir::ModuleOp module;
  const Target &target;
  Machine machine;
  llvm::DenseMap<mlir::Operation *, std::vector<Sizes>> sizes;
  std::vector<Launches> entries;
};

} // namespace attnc
