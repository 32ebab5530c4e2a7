//===- Tuning.h - schedules from a database -----------------------------------------------------------------------===//
//
// The phase fuse asks the tuning database of the options (TuningDatabase.h) for each kernel. What an entry says comes
// before the overrides of the user, which win. An entry that does not fit is left out, with a note.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "compiler/Pipeline/Job.h"
#include "compiler/Schedule/TuningDatabase.h"

namespace attnc {

class Tuning {
public:
  /// Notes the kernels' fingerprints in what is made, and finds their entries.
  explicit Tuning(Job &job) : job(job) {}
  bool load();
  /// In front of the packing of weights, and behind it.
  void chooseEmitters();
  void applySchedules();

private:
  struct Tuned {
    mlir::func::FuncOp kernel;
    TuningEntry entry;
    std::string problem; ///< why it does not fit
  };
  std::vector<Override> overridesOf(const Tuned &tuned, bool areEmitters) const;
  Job &job;
  std::vector<Tuned> tuned;
};

} // namespace attnc
