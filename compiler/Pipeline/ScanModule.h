//===- ScanModule.h - texts that MLIR's parser cannot take ------------------------------------------------------===//
//
// MLIR's parser recurses for each bracket and each operator of an affine expression, takes quadratic time for some, and
// crashes on some malformed lists. A module by hand is scanned for those before it is parsed.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace attnc {

/// A place in a text, in bytes, from which on MLIR's parser lacks the stack or the time, or fails, and why.
struct UnparsablePlace {
  size_t place;
  std::string what;
};

std::optional<UnparsablePlace> scanModule(llvm::StringRef text);

} // namespace attnc
