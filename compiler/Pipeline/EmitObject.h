//===- EmitObject.h - the phases optimise and emit ----------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Backend/Backend.h"
#include "compiler/Pipeline/Job.h"

namespace attnc {

/// The first part of the phase `optimise`: translates Compilation::code, in the llvm dialect, to LLVM IR, adds the
/// sections of the object (model table, embedded weights, space for the checksum, and, with CompileOptions::records,
/// the compile record), and stores it in `code`. Returns false after an error, such as weights that do not fit the
/// model.
bool translateCode(Job &job, LlvmCode &code);

/// The phase `emit`: compiles `code` to an object file in Compilation::object, and writes its checksum. For a dump of
/// this phase, Compilation::object is assembly text instead. Returns false after an error.
bool emitObject(Job &job, LlvmCode &code);

} // namespace attnc
