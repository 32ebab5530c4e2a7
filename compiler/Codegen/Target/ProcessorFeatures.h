//===- ProcessorFeatures.h - processor features that the code of a target requires --------------------------------===//
//
// LLVM's code generator may use every instruction-set extension (feature) of the target's processor. attn/processor.h
// has a table of the features that the runtime can test. An object records the features of this table that its code may
// use (attn_model.features), and the runtime rejects a processor that lacks one of them.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// The value of attn_model.features for an object of the target: for each feature of the table that the target's
/// processor has, the bit with the feature's number. For a device, the processor is that of its `host()`.
uint64_t processorFeatures(const Target &target);

/// The value of LLVM's function attribute "target-features" that disables all features of the table:
/// "-sse3,-ssse3,...". `host` is a processor; the value has the features of its architecture only.
std::string disabledFeatures(const Target &host);

} // namespace attnc
