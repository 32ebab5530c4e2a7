//===- Overrides.h - application of a strategy's overrides to kernels ---------------------------------------------===//
//
// An override is one choice by a person or a tuner for a kernel or a kind of kernels: its scope, a key and a value
// (compiler/Schedule/Override.h). The compile calls the functions in this order: checkEmitterUse() before import;
// gatherOverrides(), applyEmitters() and applySchedule() in the phase fuse; dropSettingsOfErased() whenever kernels are
// erased after that; warnOfSettings() after the emitters. If an override is invalid, a function that returns bool
// prints an error and returns false.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// If there is an error, reports it as a user error and returns false; otherwise returns true.
bool succeeds(Job &job, llvm::Error error);

/// Rejects a choice of emitter for the whole model, other than --emitter auto, if the target is a device, which has
/// only one emitter.
bool checkEmitterUse(Job &job);
/// Fills Job::overrides: first the overrides by the transform script, if there is one, then those of the options, which
/// take precedence. Warns if the script annotates no kernel.
bool gatherOverrides(Job &job);
/// Sets the emitters that the overrides choose on the kernels (compiler/Schedule/Strategy.h). If the emitter does not
/// support a kernel that an override names, that is an error; if it supports no kernel of a kind, a warning. Must run
/// before weights are packed.
bool applyEmitters(Job &job);
/// Resolves the schedule overrides to kernels, stores them in Job::schedule, and writes them into the kernels
/// (compiler/Schedule/Schedule.h). Must run after weights are packed.
bool applySchedule(Job &job);

/// Removes the settings of Job::schedule whose kernels were erased. With `warns`, warns about those that name the
/// kernel itself; other kernels may still follow a setting for a kind of kernels.
void dropSettingsOfErased(Job &job, bool warns);

/// Warns about each setting of Job::schedule that the code of its kernel does not follow, with the reason.
void warnOfSettings(Job &job);

} // namespace attnc
