//===- UsageError.h - what is wrong with a command line ----------------------------------------------------------===//
//
// All programs end with 0, with `userError` where something is wrong with what they were given, the command line as
// well as files, or, attnc, with `internalError` (docs/diagnostics/driver.md).
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

/// Whether it only asks for help or a version, which helpText() is.
bool asksForHelp(const CLI::ParseError &error);
std::string helpText(const CLI::App &app, const CLI::ParseError &error);

/// Two lines without the program's name in front: "no option `--traget`; did you mean `--target`?", and where there is
/// help. `arguments` are those of the process.
std::string usageError(const CLI::App &app, const CLI::ParseError &error, std::span<const char *const> arguments);

} // namespace attnc
