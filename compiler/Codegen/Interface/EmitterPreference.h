//===- EmitterPreference.h - the values of --emitter --------------------------------------------------------------===//
//
// PredictedEmitters.h (compiler/Pipeline) chooses the emitter of a kernel under Auto.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace attnc {

/// The emitter of a kernel for processors, if several emitters support the kernel.
enum class EmitterPreference {
  Auto,   ///< the emitter with the shorter predicted time, or the default emitter (docs/emitters.md)
  Cpu,    ///< `cpu`
  Halide, ///< Halide for each kernel that it supports
};

/// "auto", "cpu", "halide"; in the order of the enumeration.
llvm::ArrayRef<llvm::StringRef> emitterPreferenceNames();
/// Null if there is no such preference.
std::optional<EmitterPreference> emitterPreferenceNamed(llvm::StringRef name);

} // namespace attnc
