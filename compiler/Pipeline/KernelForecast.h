//===- KernelForecast.h - how long a kernel would take with other code --------------------------------------------===//
//
// Of one kernel, code by any emitter and schedule is made beside the compile and its time predicted (compiler/Predict),
// without what only a whole program tells: operands and results come from the nearest cache behind the first that holds
// them. So forecasts of a kernel compare with each other alone.
//
// Sizes are those that are said of dimensions, else their bounds, else 64.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Memory/Plan.h"
#include "compiler/Predict/Machine.h"
#include "llvm/ADT/DenseMap.h"

namespace attnc {

struct Forecast {
  double seconds = 0; ///< of launches of different sizes, one each
  double least = 0;   ///< of any code: useful operations at the peak, operands and results moved
};

class KernelForecast {
public:
  /// Of the kernels that entry points of `module` call.
  KernelForecast(mlir::ModuleOp module, const Target &target, const Machine &machine, const NamedSizes &at);

  bool isCalled(mlir::func::FuncOp kernel) const { return sizes.contains(kernel); }
  /// With the code that `emitter` makes of `changed`, the kernel or a copy of it with another schedule; neither is
  /// changed. Nothing where there is none after all, or where data steers it.
  std::optional<Forecast> of(mlir::func::FuncOp kernel, mlir::func::FuncOp changed, const Emitter &emitter) const;

private:
  using Sizes = std::vector<int64_t>;
  void gatherSizes(mlir::func::FuncOp entry, const NamedSizes &at);

  mlir::ModuleOp module;
  const Target &target;
  Machine machine;
  llvm::DenseMap<mlir::Operation *, std::vector<Sizes>> sizes;
};

} // namespace attnc
