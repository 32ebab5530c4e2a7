//===- ProcessorFeatures.h - processor features that the code of a target requires ----------------------------===//
//
// LLVM's code generator may use every feature of the target's processor. An object records the required features that
// are in the table of attn/processor.h, and the runtime rejects a processor that lacks one of them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// Bits of attn_model.features: features that code of the target may use; for a device, those of its `host()`.
uint64_t processorFeatures(const Target &target);

/// The value of LLVM's function attribute "target-features" for code that uses no feature of the table,
/// "-sse3,-ssse3,...".
std::string noFeatures(const Target &host);

} // namespace attnc
