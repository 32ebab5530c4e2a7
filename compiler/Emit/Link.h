//===- Link.h - other forms of the object -----------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>

namespace attnc {

/// A static library with the object as its one member, `memberName`. Has no dates or owners in it.
llvm::Expected<std::string> archiveOf(llvm::StringRef object, const std::string &memberName);

/// Links the object in file `objectPath` into the shared library `path`, known to the loader as `soname`. Uses ld.lld
/// where it is installed, otherwise cc; fails where neither is.
llvm::Error linkShared(const std::string &objectPath, const std::string &path, const std::string &soname);

/// A make rule: `target` depends on `inputs`.
std::string dependencyRule(llvm::StringRef target, llvm::ArrayRef<std::string> inputs);

} // namespace attnc
