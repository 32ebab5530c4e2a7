//===- ScanModule.h - scan of module texts for input on which MLIR's parser crashes -------------------------------===//
//
// MLIR's parser recurses for each bracket and each operator of an affine expression, needs quadratic time for some
// expressions, and crashes on some malformed lists. The compile therefore scans a module file (.mlir) for such places
// before it parses the file.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace attnc {

/// A place at which MLIR's parser would exceed its stack or time, or crash.
struct UnparsablePlace {
  size_t place;     ///< offset in the text, in bytes
  std::string what; ///< the error message for it
};

/// The first such place in `text`; null if MLIR's parser can parse or reject the text.
std::optional<UnparsablePlace> scanModule(llvm::StringRef text);

} // namespace attnc
