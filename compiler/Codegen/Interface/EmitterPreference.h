//===- EmitterPreference.h - the values of the option --emitter ---------------------------------------------------===//
//
// The option `--emitter`, or the override `model.emitter`, says which code generator compiles kernels for processors.
// createEmitters() (compiler/Emitters) orders the emitters by it. With Auto, PredictedEmitters.h (compiler/Pipeline)
// chooses an emitter for each kernel that several emitters support.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace attnc {

/// Which emitter compiles a kernel for a processor, if several support the kernel and `attn.emitter` names none.
enum class EmitterPreference {
  /// The default emitter, or another one if its predicted time is clearly shorter (docs/emitters.md). If tensors are
  /// stored in 16 bits, the compile replaces it by Cpu.
  Auto,
  Cpu,    ///< always `cpu`
  Halide, ///< `halide`
};

/// The names of the values: "auto", "cpu", "halide", in the order of the enumeration.
llvm::ArrayRef<llvm::StringRef> emitterPreferenceNames();
/// The value with this name; null if there is none.
std::optional<EmitterPreference> emitterPreferenceNamed(llvm::StringRef name);

} // namespace attnc
