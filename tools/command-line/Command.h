//===- Command.h - subcommands of a program -----------------------------------------------------------------------===//
#pragma once

#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace attnc {

/// Adds the subcommand `name` with a line of help, `about`, to the program `app`, which owns the result. A function of
/// one source file, because CLI11 is a library of headers: each file that creates a CLI::App would compile most of it.
CLI::App *addCommand(CLI::App &app, const std::string &name, const std::string &about);

} // namespace attnc
