//===- ObjectSections.h - objects, section by section -------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace attnc::verify {

/// The content of a section of an object; the error says that it is no object, or lacks the section.
llvm::Expected<llvm::StringRef> sectionOf(llvm::StringRef object, llvm::StringRef section);

/// Where an object is not the one that was expected: each section that differs, by its first byte that does, and the
/// function that this belongs to. Empty where all bytes are the same.
std::vector<std::string> differences(llvm::StringRef found, llvm::StringRef expected);

} // namespace attnc::verify
