//===- ObjectSections.h - comparison of objects by section --------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace attnc::verify {

/// The content of a section of an object; fails if the file is no relocatable ELF object, or lacks the section. The
/// error is a phrase about the file: "has no section ...".
llvm::Expected<llvm::StringRef> sectionOf(llvm::StringRef object, llvm::StringRef section);

/// Differences to the expected object, one text each: for a section that differs, the first differing byte and its
/// function, or the two sizes; sections that are missing or not expected. Empty if all bytes are equal.
std::vector<std::string> differences(llvm::StringRef found, llvm::StringRef expected);

} // namespace attnc::verify
