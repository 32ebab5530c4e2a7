//===- EmitObject.h - the phases optimise and emit, and the object cache ------------------------------------------===//
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

/// With CompileOptions::cache: returns whether the cache has the object that is compiled from `code`, the result of
/// translateCode, and stores the object in Compilation::object. `name` is set to its name in the cache.
bool loadObject(Job &job, const LlvmCode &code, std::string &name);
/// Stores Compilation::object in the cache, unless `name`, which loadObject has set, is empty; warns if that fails.
void storeObject(Job &job, llvm::StringRef name);

} // namespace attnc
