//===- CompileKey.h - identity of everything that the phases after import read ------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// A text that is equal for two compiles only if the phases after import, run by the same program, produce the same
/// object and the same warnings: the imported module, with its source locations, the target, those options that these
/// phases read, and the content of the files that they read. `module` is the text of the imported module.
std::string compileKey(llvm::StringRef module, const Job &job);

} // namespace attnc
