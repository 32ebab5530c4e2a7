//===- Architecture.h - the class in config.json that wrote the file ----------------------------------------------===//
#pragma once

#include "frontends/checkpoint/Config.h"

namespace attnc {

/// The class of the published library that wrote the file, without the prefix of its family: "Model", "ForMaskedLM".
/// The first one of `supported` if the key is missing; a problem if it is none of them.
std::string readArchitecture(Config &config, llvm::StringRef prefix, llvm::ArrayRef<llvm::StringRef> supported);

} // namespace attnc
