//===- EmitObject.h - from the llvm dialect to an object file -----------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Backend/Backend.h"
#include "compiler/Pipeline/Job.h"

namespace attnc {

/// The phase `optimise`: the module's table, weights, seal and record join its code, then LLVM optimises all of it.
bool optimiseCode(Job &job, LlvmCode &code);

/// The phase `emit`: fills Compilation::object with an object file, or with assembly where that is what is dumped.
bool emitObject(Job &job, LlvmCode &code);

} // namespace attnc
