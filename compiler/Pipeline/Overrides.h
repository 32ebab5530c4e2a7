//===- Overrides.h - application of overrides to kernels ----------------------------------------------------------===//
//
// The functions are called in this order: checkEmitterUse() before import, the others up to applySchedule() in the
// phase fuse, the rest after it. Functions that return bool print an error and return false if an override is invalid.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// Prints the error, if there is one; returns whether there is none.
bool succeeds(Job &job, llvm::Error error);

/// Rejects a choice of emitter if the target is a device, which has only one emitter.
bool checkEmitterUse(Job &job);
/// Runs the transform script, if there is one. The overrides of the options take precedence over its overrides.
bool gatherOverrides(Job &job);
/// Sets the emitters of kernels (Strategy.h). Must run before weights are packed.
bool applyEmitters(Job &job);
/// Fills Job::schedule, and writes it into the kernels (Schedule.h). Must run after weights are packed.
bool applySchedule(Job &job);

/// Removes the settings in Job::schedule of kernels that were erased; with `warns`, warns about those that an override
/// has made by the kernel's name, not by its kind.
void dropSettingsOfErased(Job &job, bool warns);

/// Warns about settings that the generated kernels do not follow, with the reason.
void warnOfSettings(Job &job);

} // namespace attnc
