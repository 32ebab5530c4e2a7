//===- Json.h - JSON parser with a nesting limit, for untrusted files ---------------------------------------------===//
//
// LLVM's JSON parser recurses once for each level of nested lists and objects, so a few megabytes of "[" would overflow
// the stack. Files of attnc have few levels. A text with more than `mostJsonLevels` is rejected before it is parsed.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace attnc {

inline constexpr unsigned mostJsonLevels = 64;

/// Parses a JSON text. The error of a text that is nested too deeply, or that is not JSON, names the line.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace attnc
