//===- EmitObject.h - the phases optimise and emit ----------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Backend/Backend.h"
#include "compiler/Pipeline/Job.h"

namespace attnc {

/// The phase `optimise`: translates to LLVM IR in `code`, adds model table, weights, checksum and compile record, and
/// optimises. Both functions return false after an error.
bool optimiseCode(Job &job, LlvmCode &code);

/// The phase `emit`: fills Compilation::object with an object file, or with assembly text for a dump of this phase.
bool emitObject(Job &job, LlvmCode &code);

} // namespace attnc
