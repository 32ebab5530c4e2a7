//===- Emitters.h - factory of the code generators of kernels -----------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Codegen/Interface/EmitterPreference.h"

namespace attnc {

/// Creates all emitters, in the order in which they are asked: the first emitter that supports a kernel compiles it,
/// unless `attn.emitter` of the kernel names another one (RequestedEmitter.h).
///
///   Auto      Halide for the kernels of its rule (sums over windows) and those that request it, then `cpu`
///   Halide    Halide for every kernel that it supports, then `cpu`
///   Cpu       `cpu`, then Halide for the kernels that request it (HalideScope)
///
/// The emitter for devices is last in each case; emitters for another kind of target support no kernel.
Emitters createEmitters(EmitterPreference preference = EmitterPreference::Auto);

} // namespace attnc
