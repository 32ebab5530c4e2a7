//===- KernelForecast.h - predicted time of a kernel under another emitter or schedule ----------------------------===//
//
// A forecast generates code for one kernel in a temporary module and predicts its time with the cost model
// (compiler/Predict). It ignores the rest of the program: operands and results are assumed to come from the smallest
// memory level, beyond the first-level cache, that holds them all. Only predictions for the same kernel are therefore
// comparable.
//
// The size of a dimension is that of --at (the first one if there are several), or its declared bound, or 64 if it has
// neither. A size of a kernel that is no function of these dimensions counts as 1.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Memory/Plan.h"
#include "compiler/Predict/Machine.h"
#include "llvm/ADT/DenseMap.h"

namespace attnc {

/// Forecasts for the kernels of one module after fuse.
class KernelForecast {
public:
  /// Gathers the sizes with which the entry points of `module` call each kernel. `at` are the sizes of --at, `machine`
  /// the parameters of the cost model. `target` must outlive this object.
  KernelForecast(mlir::ModuleOp module, const Target &target, const Machine &machine, const NamedSizes &at);

  /// True if an entry point calls the kernel. The functions below require it.
  bool isCalled(mlir::func::FuncOp kernel) const { return sizes.contains(kernel); }
  /// The predicted time, in seconds, of the code that `emitter` generates for `changed`: the kernel, or a copy with
  /// another schedule or emitter; neither is modified. The time is the sum over one launch with each combination of
  /// sizes with which entry points call the kernel; only the first four count. Null if the emitter does not support the
  /// kernel or fails, if CodeTime cannot predict its code, or if a launch has more than 2^50 operations or bytes. A
  /// remark of a failing emitter reaches the context's handler, from which the caller reports it; errors and warnings
  /// do not.
  std::optional<double> secondsOf(mlir::func::FuncOp kernel, mlir::func::FuncOp changed, const Emitter &emitter) const;
  /// An estimate of secondsOf() for fast code, without code generation: overhead of launches, arithmetic and functions
  /// of linalg.generic on full vectors, and traffic of operands and results. It omits integers, subscripts and
  /// scatters.
  double leastOf(mlir::func::FuncOp kernel) const;
  /// The share, from 0 to 1 or above, of an entry point's time that the kernel takes if each of its launches takes
  /// `seconds`; the largest of all entry points. The time of an entry point is estimated as the sum of leastOf() of its
  /// launches.
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
