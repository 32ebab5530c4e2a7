//===- Tuning.h - application of the tuning database --------------------------------------------------------------===//
//
// The phase fuse looks up each kernel in the tuning database of the options (TuningDatabase.h). An entry is applied
// before the overrides of the user, which take precedence. An entry that is invalid for its kernel is skipped, with a
// note.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "compiler/Pipeline/Job.h"
#include "compiler/Schedule/TuningDatabase.h"

namespace attnc {

class Tuning {
public:
  explicit Tuning(Job &job) : job(job) {}
  /// Stores the fingerprints of all kernels in the compilation and finds their entries; false after an error.
  bool load();
  void chooseEmitters(); ///< must run before weights are packed
  void applySchedules(); ///< must run after weights are packed

private:
  struct Tuned {
    mlir::func::FuncOp kernel;
    TuningEntry entry;
    std::string problem; ///< the reason for which the entry is skipped
  };
  std::vector<Override> overridesOf(const Tuned &tuned, bool areEmitters) const;
  Job &job;
  std::vector<Tuned> tuned;
};

} // namespace attnc
