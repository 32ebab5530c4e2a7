//===- CandidateForecast.h - validity and predicted times of candidate schedules ----------------------------------===//
//
// To measure a candidate takes a compile of the model and many calls; to predict the time of its code takes some
// milliseconds (compiler/Pipeline/KernelForecast.h). Candidates are therefore measured in the order of their predicted
// times.
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
  /// Compiles the model up to the phase narrow, whose kernels are predicted. Precedes the other calls.
  llvm::Error start(CompileOptions options, const Target &target);

  /// False if no emitter supports the kernel with these settings. True for kernels that are not in the compile.
  bool canHave(const std::string &kernel, const Settings &settings) const;
  /// The settings among `open`, of which there is at least one, with the shortest predicted time. Settings without a
  /// prediction come last; `random` decides between equal times.
  const Settings &best(const std::string &kernel, llvm::ArrayRef<Settings> open, std::mt19937_64 &random);

private:
  /// A copy of a kernel with other settings, alone in a module, and the emitter that would compile it.
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
