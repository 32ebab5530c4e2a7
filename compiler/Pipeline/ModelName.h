//===- ModelName.h - names that a compile derives from the path of its input --------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace attnc {

/// The name of output files for a model: the name of its file without the suffix, or of the folder of a checkpoint.
std::string stemOf(llvm::StringRef path);
/// The prefix of symbols for a model: stemOf(path) as a C identifier, gpt_2 for `gpt-2.attn`. It begins with an
/// underscore if the stem is empty, if it begins with a digit, or if isOfRuntime() is true for it.
std::string prefixOf(llvm::StringRef path);
/// True if names with this prefix could collide with names of the runtime, such as attn_run.
bool isOfRuntime(llvm::StringRef prefix);

} // namespace attnc
