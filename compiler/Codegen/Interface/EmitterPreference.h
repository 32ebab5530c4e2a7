//===- EmitterPreference.h - which emitter takes kernels that several support -------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace attnc {

/// The emitter of kernels for processors, where several support one.
enum class EmitterPreference {
  Auto,   ///< the one with the shorter predicted time, or the default emitter (docs/emitters.md)
  Cpu,    ///< `cpu`
  Halide, ///< Halide for each kernel that it supports
};

/// "auto", "cpu", "halide"; in the order of the enumeration.
llvm::ArrayRef<llvm::StringRef> emitterPreferenceNames();
std::optional<EmitterPreference> emitterPreferenceNamed(llvm::StringRef name);

} // namespace attnc
