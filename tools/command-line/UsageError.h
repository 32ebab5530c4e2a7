//===- UsageError.h - exit codes and messages of command-line errors ----------------------------------------------===//
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

/// Whether `error`, which CLI11 threw when it parsed the command line, is a request for the help or the version.
bool asksForHelp(const CLI::ParseError &error);
/// The requested text, help or version, for the standard output. Requires asksForHelp(error).
std::string helpText(const CLI::App &app, const CLI::ParseError &error);

/// The message for any other `error`: two lines without the program's name as prefix and without a final newline. The
/// first line is "no option `--traget`; did you mean `--target`?", the same for an unknown command, or CLI11's message.
/// The second is "  see attnc run --help". `app` has parsed `arguments`, which are those of the process from argv[0].
std::string usageError(const CLI::App &app, const CLI::ParseError &error, std::span<const char *const> arguments);

} // namespace attnc
