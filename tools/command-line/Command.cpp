#include "tools/command-line/Command.h"
#include <CLI/CLI.hpp>

namespace attnc {

CLI::App *addCommand(CLI::App &app, const std::string &name, const std::string &about) {
  return app.add_subcommand(name, about);
}

} // namespace attnc
