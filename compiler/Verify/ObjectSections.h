//===- ObjectSections.h - comparison of objects by section --------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace attnc::verify {

/// The content of the section named `section`, a part of `object`, the bytes of an object file. Fails if `object` is no
/// relocatable ELF object, or lacks the section. The error is a phrase about the file: "has no section ...".
llvm::Expected<llvm::StringRef> sectionOf(llvm::StringRef object, llvm::StringRef section);

/// The differences between two object files, given by their bytes, one text each. A section that differs is described
/// by its first differing byte and the function there, or by the two sizes; others are missing or not expected. Empty
/// if all bytes are equal.
std::vector<std::string> differences(llvm::StringRef found, llvm::StringRef expected);

} // namespace attnc::verify
