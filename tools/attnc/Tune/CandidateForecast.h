//===- CandidateForecast.h - validity and predicted times of candidate schedules ----------------------------------===//
//
// A candidate is a kernel with other settings (Search.h). To measure a candidate takes a compile of the model and many
// calls; to predict the time of its code takes some milliseconds (compiler/Pipeline/KernelForecast.h). Candidates are
// therefore measured in the order of their predicted times.
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
  /// Compiles the model up to the phase narrow; times are predicted for its kernels. Precedes the other calls. An error
  /// if the compile fails.
  llvm::Error start(CompileOptions options, const Target &target);

  /// Whether the settings are valid and an emitter supports the kernel with them. True for a kernel that is not in the
  /// compiled module.
  bool canHave(const std::string &kernel, const Settings &settings) const;
  /// The element of `open`, which must not be empty, with the shortest predicted time for the kernel. Settings without
  /// a prediction come last. Among equal times, a number drawn from `random` decides.
  const Settings &best(const std::string &kernel, llvm::ArrayRef<Settings> open, std::mt19937_64 &random);

private:
  /// A copy of a kernel with other settings, alone in a module, and the emitter that would compile it.
  struct Changed {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    mlir::func::FuncOp kernel;
    const Emitter *emitter;
  };
  /// Null if the settings are invalid, or if no emitter supports the changed kernel.
  std::optional<Changed> change(mlir::func::FuncOp original, const Settings &settings) const;
  double secondsOf(const std::string &kernel, const Settings &settings);     ///< predict(), computed once
  double predict(const std::string &kernel, const Settings &settings) const; ///< infinity without a prediction

  Target target;
  Emitters emitters;
  std::unique_ptr<Compilation> made;
  std::unique_ptr<KernelForecast> forecast;
  std::map<std::pair<std::string, std::string>, double> known; ///< by kernel and text of the settings
};

} // namespace attnc
