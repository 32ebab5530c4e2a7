//===- ProcessorFeatures.h - what code for a target needs of the processor that runs it -----------------------===//
//
// LLVM's code generator may use every feature of the target's processor. An object records those of the table in
// attn/processor.h, and the runtime refuses processors that lack one of them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// Bits of attn_model.features; of a device the features of its `host()`.
uint64_t processorFeatures(const Target &target);

/// As LLVM has it for a function's "target-features": none of the table, whatever the target has.
std::string noFeatures();

} // namespace attnc
