#include "tools/command-line/UsageError.h"
#include "compiler/Diagnostics/Spelling.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <vector>

namespace attnc {

static std::string unknown(const char *what, const std::string &word, const std::vector<std::string> &known) {
  return fmt::format("no {} `{}`{}", what, word, didYouMean(word, known));
}

/// The first word that is not an option, if the program has commands and the word is not one of them.
static std::string unknownCommand(const CLI::App &app, std::span<const char *const> arguments) {
  std::vector<std::string> known;
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; }))
    known.push_back(command->get_name());
  if (known.empty())
    return "";
  for (std::string word : arguments.subspan(1))
    if (word[0] != '-')
      return std::ranges::count(known, word) > 0 ? "" : unknown("command", word, known);
  return "";
}

/// The first unknown option of the command.
static std::string unknownOption(const CLI::App &command) {
  std::vector<std::string> known;
  for (const CLI::Option *option : command.get_options())
    for (const std::string &name : option->get_lnames())
      known.push_back("--" + name);
  for (const std::string &word : command.remaining())
    if (word.size() > 1 && word[0] == '-')
      return unknown("option", word.substr(0, word.find('=')), known);
  return "";
}

bool asksForHelp(const CLI::ParseError &error) { return error.get_exit_code() == 0; }

std::string helpText(const CLI::App &app, const CLI::ParseError &error) {
  std::ostringstream help;
  app.exit(error, help, help);
  return help.str();
}

std::string usageError(const CLI::App &app, const CLI::ParseError &error, std::span<const char *const> arguments) {
  std::string message = unknownCommand(app, arguments), help = app.get_name();
  if (app.get_subcommands([](const CLI::App *) { return true; }).empty())
    message = unknownOption(app);
  for (const CLI::App *command : app.get_subcommands()) {
    help = app.get_name() + " " + command->get_name();
    if (message.empty())
      message = unknownOption(*command);
  }
  return fmt::format("{}\n  see {} --help", message.empty() ? error.what() : message, help);
}

} // namespace attnc
