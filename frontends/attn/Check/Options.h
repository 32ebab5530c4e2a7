//===- Options.h - options of the checker -------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attnc {

/// Requests an entry point that writes tokens. If the file exports no `decode` (with the name `entry`, if given), the
/// checker adds an entry point, as by
///
///   export <next>.write = decode(<next>, with: <file>.<choice>, at_most: ...)
///
/// for the entry point <next> that the file exports by `incremental` (with the name `entry`, if given). It adds none if
/// there is no such entry point, or several. If <next> is not decodable (DecoderRules.h), that is an error.
struct WriterRequest {
  std::string entry;        ///< name of the exported writer or of <next>; empty: the only one
  std::string file, choice; ///< the sampler: the function `choice` of the prelude's file `file`
  int64_t atMost = 1;       ///< most tokens of a call; limited to half of the dimension's bound, if it has one

  /// True if an entry point `name` that writes tokens is the requested one: exported, or added by the checker.
  bool names(const std::string &name) const { return entry.empty() || name == entry || name == madeOf(entry); }
  /// Returns the name of the entry point that the checker adds.
  static std::string madeOf(const std::string &next) { return next + ".write"; }
};

struct CheckOptions {
  /// Hyperparameters of the model and their values, as in `--set layers=12`: a number, true or false.
  std::vector<std::pair<std::string, std::string>> settings;
  std::optional<WriterRequest> writer = std::nullopt;
};

} // namespace attnc
