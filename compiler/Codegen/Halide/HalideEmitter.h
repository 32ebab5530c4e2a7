//===- HalideEmitter.h - the emitter that compiles by Halide ----------------------------------------------------===//
//
// One Emitter, "halide", for processors. A kernel becomes stages (ReadKernel.h, Staging.h), each gets a schedule
// (StageSchedule.h), Halide compiles it (Bitcode.h), and its function is called by a phase of ours (ImportBitcode.h,
// StagePhase.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"

namespace attnc {

/// Which kernels it supports.
enum class HalideScope {
  All,    ///< those that Halide can compile
  ByRule, ///< sums over windows that are fast as they stand (WindowSum.h), and those for which it is asked
  Asked,  ///< those for which it is asked
};

std::unique_ptr<Emitter> createHalideEmitter(HalideScope scope = HalideScope::All);

} // namespace attnc
