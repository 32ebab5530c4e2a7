//===- Tuning.h - application of the tuning database to kernels ---------------------------------------------------===//
//
// The phase fuse looks up each kernel, by its fingerprint, in the tuning database of the options
// (compiler/Schedule/TuningDatabase.h), which contains measured schedules. An entry is applied before the overrides of
// the user, which take precedence. If the emitter of an entry is invalid for its kernel, the entry has no effect. If a
// setting of its schedule is invalid, the emitter and earlier settings remain. There is a warning in both cases.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "compiler/Pipeline/Job.h"
#include "compiler/Schedule/TuningDatabase.h"

namespace attnc {

/// The entries for the kernels of one compile. The functions are called in the order of their declaration.
class Tuning {
public:
  /// `job` must outlive this object.
  explicit Tuning(Job &job) : job(job) {}
  /// Stores the fingerprints of all kernels in Compilation::fingerprints, reads the database, and finds the entries of
  /// the kernels. Without a database there are none. Returns false after an error.
  bool load();
  /// Sets the emitters of the entries on their kernels. Must run before weights are packed.
  void chooseEmitters();
  /// Writes the schedules of the entries into their kernels, and the measured gains as `attn.tuned`. Prints for how
  /// many kernels the database had a valid entry. Must run after weights are packed.
  void applySchedules();

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
