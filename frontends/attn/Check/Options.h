//===- Options.h - options of the checker -------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attnc {

/// Requests an entry point that writes tokens (a decoding loop), for commands such as `attnc generate`. If the file
/// exports one by `decode`, the checker adds none. Otherwise it adds an entry point, as by
///
///   export <next>.write = decode(<next>, with: <file>.<choice>, at_most: ...)
///
/// for the entry point <next> that the file exports by `incremental`. If `entry` is not empty, only exports with this
/// name are considered. The checker adds nothing if no export by `incremental` is left, or several, or after an error.
/// If <next> is not decodable (DecoderRules.h), that is an error.
struct WriterRequest {
  std::string entry; ///< name of the export by `decode` or of <next>; empty: the only one
  /// The sampler: the function `choice` of the prelude's file `file`. If there is none, nothing is added.
  std::string file, choice;
  /// Most tokens of a call, at least 1. If the dimension of positions has a bound, the checker lowers the number to
  /// half of the bound, but not below 1.
  int64_t atMost = 1;
  /// Whether the derive phase adds a resumed loop (compiler/Derive/Incremental/ResumedNames.h), and later phases
  /// compile only this loop. If the entry point is a beam search, the phase adds none.
  bool isResumed = false;
  /// With isResumed: tokens that a row of the states can lose after each call, because they were drafts. Below 2, there
  /// is no need for more than the model allows.
  int64_t drafts = 0;
  /// With isResumed: whether an entry point verifies drafted tokens (ResumedNames.h).
  bool isVerified = false;

  /// True if an entry point `name` that writes tokens is the requested one: exported, or added by the checker.
  bool names(const std::string &name) const { return entry.empty() || name == entry || name == madeOf(entry); }
  /// Returns the name of the entry point that the checker adds for the entry point `next`.
  static std::string madeOf(const std::string &next) { return next + ".write"; }
};

/// Options of checkFile (Check.h).
struct CheckOptions {
  /// Hyperparameters of the model and their values as text, as in `--set layers=12`. A value is a number, true, false,
  /// or the name of a function or module of the file or of a used file, or of a builtin function, such as `nn.GRU` or
  /// `tanh`. The last of several values of a name counts.
  std::vector<std::pair<std::string, std::string>> settings;
  std::optional<WriterRequest> writer = std::nullopt; ///< null: no entry point is added
};

} // namespace attnc
