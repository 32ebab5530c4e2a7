//===- CandidateForecast.h - which changes a kernel can have, and which is predicted to be best -------------------===//
//
// Measuring a candidate takes a compile of the model and many calls; predicting the time of its code takes some
// milliseconds (compiler/Pipeline/KernelForecast.h). So candidates are measured in the order of their predicted times.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Compile.h"
#include "compiler/Pipeline/KernelForecast.h"
#include "tools/attnc/Tune/Search.h"
#include <memory>
#include <random>

namespace attnc {

class CandidateForecast {
public:
  /// Compiles the model as far as it has kernels.
  llvm::Error start(CompileOptions options, const Target &target);

  /// Whether an emitter takes the kernel with them.
  bool canHave(const std::string &kernel, const Settings &settings) const;
  /// The one of `open` that is predicted to take the least time; of equal ones, and where nothing can be predicted,
  /// drawn by `random`.
  const Settings &best(const std::string &kernel, llvm::ArrayRef<Settings> open, std::mt19937_64 &random);

private:
  /// A copy of a kernel with other settings, alone in a module.
  struct Changed {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    mlir::func::FuncOp kernel;
    const Emitter *emitter;
  };
  std::optional<Changed> change(mlir::func::FuncOp original, const Settings &settings) const;
  double secondsOf(const std::string &kernel, const Settings &settings);
  double predict(const std::string &kernel, const Settings &settings) const;

  Target target;
  Emitters emitters;
  std::unique_ptr<Compilation> made;
  std::unique_ptr<KernelForecast> forecast;
  std::map<std::pair<std::string, std::string>, double> known; ///< by kernel and text of the settings
};

} // namespace attnc
