//===- ScanModule.h - scan of module texts for input that MLIR's parser fails on --------------------------------===//
//
// MLIR's parser recurses for each bracket and each operator of an affine expression, needs quadratic time for some
// expressions, and crashes on some malformed lists. A module file is scanned for these before it is parsed.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace attnc {

/// The byte offset at which MLIR's parser would exceed its stack or time, or crash, and the error message.
struct UnparsablePlace {
  size_t place;
  std::string what;
};

/// The first such place; null if MLIR's parser can parse or reject the text.
std::optional<UnparsablePlace> scanModule(llvm::StringRef text);

} // namespace attnc
