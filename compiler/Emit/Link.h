//===- Link.h - packaging of an object as a static or a shared library --------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>

namespace attnc {

/// Returns the bytes of a static library (ar archive) whose only member, `memberName`, is `object`, the bytes of an
/// object file. Dates and owners are zero, so equal objects give equal libraries.
llvm::Expected<std::string> archiveOf(llvm::StringRef object, const std::string &memberName);

/// Links the object file `objectPath` into the shared library `path` with the name `soname` (DT_SONAME), and waits for
/// the linker: ld.lld if it is installed, otherwise cc. Fails if neither is installed, or if the linker fails.
llvm::Error linkShared(const std::string &objectPath, const std::string &path, const std::string &soname);

/// The text of a make rule by which the file `target` depends on the files `inputs`; spaces, `#`, `:` and `$` in these
/// paths are escaped.
std::string dependencyRule(llvm::StringRef target, llvm::ArrayRef<std::string> inputs);

} // namespace attnc
