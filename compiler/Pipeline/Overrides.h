//===- Overrides.h - what a compile's overrides do to kernels -----------------------------------------------------===//
//
// Steps of the phase fuse, in this order; all answer false where an override is wrong, which has been said.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// Says an error, if there is one.
bool succeeds(Job &job, llvm::Error error);

/// Runs the script, if there is one: what it says comes before the overrides of the options, which win.
bool gatherOverrides(Job &job);
/// In front of the packing of weights.
bool applyEmitters(Job &job);
/// Behind it.
bool applySchedule(Job &job);

} // namespace attnc
