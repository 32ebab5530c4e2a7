//===- Overrides.h - what a compile's overrides do to kernels -----------------------------------------------------===//
//
// Steps of a compile, in this order, which answer false where an override is wrong and that has been said: what is
// checked first, then those of the phase fuse; and what generating does about kernels that it leaves out.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// Says an error, if there is one.
bool succeeds(Job &job, llvm::Error error);

/// Who makes code for processors is a question for processors alone.
bool checkEmitterUse(Job &job);
/// Runs the script, if there is one: what it says comes before the overrides of the options, which win.
bool gatherOverrides(Job &job);
/// In front of the packing of weights.
bool applyEmitters(Job &job);
/// Behind it.
bool applySchedule(Job &job);

/// Forgets settings of kernels that the module has no more; with `warns` says so of those that a person named.
void dropSettingsOfErased(Job &job, bool warns);

/// Says which settings the generated kernels do not have, and why.
void warnOfSettings(Job &job);

} // namespace attnc
