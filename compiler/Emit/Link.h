//===- Link.h - static and shared libraries of an object ----------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>

namespace attnc {

/// A static library with the object as its only member `memberName`, without dates or owners.
llvm::Expected<std::string> archiveOf(llvm::StringRef object, const std::string &memberName);

/// Links the object in file `objectPath` into the shared library `path` with the name `soname`. Uses ld.lld if it is
/// installed, otherwise cc; fails if neither is, or if the linker fails.
llvm::Error linkShared(const std::string &objectPath, const std::string &path, const std::string &soname);

/// A make rule: `target` depends on `inputs`.
std::string dependencyRule(llvm::StringRef target, llvm::ArrayRef<std::string> inputs);

} // namespace attnc
