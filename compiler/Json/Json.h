//===- Json.h - JSON parser with a nesting limit, for untrusted files ---------------------------------------------===//
//
// LLVM's JSON parser recurses once for each level, so a few megabytes of "[" would overflow the stack. Files of attnc
// have few levels; a text with more than `mostJsonLevels` is rejected before it is parsed.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace attnc {

inline constexpr unsigned mostJsonLevels = 64;

/// Parses a text; errors have the position in it.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace attnc
