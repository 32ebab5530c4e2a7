//===- UsageError.h - exit codes and messages of command-line errors ---------------------------------------------===//
//
// The exit code of all programs is 0 on success and `userError` on an error in the command line or in files; that of
// attnc is `internalError` on an internal error (docs/diagnostics/driver.md).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <span>
#include <string>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace attnc {

inline constexpr int userError = 1, internalError = 2; ///< exit codes

/// Whether the command line requests help or the version, whose text is helpText().
bool asksForHelp(const CLI::ParseError &error);
std::string helpText(const CLI::App &app, const CLI::ParseError &error);

/// The message, without the program's name as prefix, in two lines: "no option `--traget`; did you mean `--target`?",
/// then a hint at the help. `arguments` are those of the process.
std::string usageError(const CLI::App &app, const CLI::ParseError &error, std::span<const char *const> arguments);

} // namespace attnc
