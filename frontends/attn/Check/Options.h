//===- Options.h - what is asked for besides a file ---------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attnc {

/// An entry point that writes tokens, of a file that need not export one. Where it exports none made by `decode` (of
/// this name, where there is one), there is one more, as if it said
///
///   export <next>.write = decode(<next>, with: <file>.<choice>, at_most: ...)
///
/// of what it exports made by `incremental` (of this name); where that is not one entry point, there is none.
struct WriterRequest {
  std::string entry;        ///< its name, or that of what it decodes by; empty: the only one
  std::string file, choice; ///< a function of the prelude
  int64_t atMost = 1;       ///< tokens of a call; fewer where they would take more than half of the context

  /// Whether an entry point that writes tokens is what was asked for.
  bool names(const std::string &name) const { return entry.empty() || name == entry || name == madeOf(entry); }
  static std::string madeOf(const std::string &next) { return next + ".write"; }
};

struct CheckOptions {
  /// Hyperparameters of the model and their values, as in `--set layers=12`: a number, true or false.
  std::vector<std::pair<std::string, std::string>> settings;
  std::optional<WriterRequest> writer = std::nullopt;
};

} // namespace attnc
