//===- Emitters.h - the emitters of the compiler ------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Codegen/Interface/EmitterPreference.h"

namespace attnc {

/// All emitters; those that `preference` prefers come first. `cpu` before Halide, which is then used only for kernels
/// that ask for it, if `preference` is Cpu; otherwise Halide before `cpu`. The emitter for devices is last.
Emitters createEmitters(EmitterPreference preference = EmitterPreference::Auto);

} // namespace attnc
