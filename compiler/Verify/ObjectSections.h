//===- ObjectSections.h - comparison of objects by section --------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace attnc::verify {

/// The content of the section named `section`, a part of `object`, the bytes of an object file; empty if the section
/// exceeds the file. Fails if `object` is no relocatable ELF object, or lacks the section. The error is a phrase about
/// the file: "has no section ...".
llvm::Expected<llvm::StringRef> sectionOf(llvm::StringRef object, llvm::StringRef section);

/// The differences between two object files, given by their bytes, one text each. A section that differs is described
/// by its first differing byte and the function or constant there, or by the two sizes; others are missing or not
/// expected. If all sections are equal, the first differing byte of the file is named. If one of the two is no
/// relocatable ELF object, the only text says that. Empty if all bytes are equal.
std::vector<std::string> differences(llvm::StringRef found, llvm::StringRef expected);

} // namespace attnc::verify
