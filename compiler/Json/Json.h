//===- Json.h - JSON from files that may hold anything ------------------------------------------------------------===//
//
// LLVM's parser calls itself once a level, so a few megabytes of "[" would end the program. What attnc reads has a few
// levels; a text of more than `mostJsonLevels` is refused before it is parsed.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace attnc {

inline constexpr unsigned mostJsonLevels = 64;

/// The value of a text; errors say where in it.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace attnc
