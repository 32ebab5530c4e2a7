#include "tools/attnc/Messages.h"
#include "compiler/Diagnostics/Spelling.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sstream>

namespace attnc {

ExitCode refuse(llvm::StringRef message) {
  llvm::errs() << "attnc: error: " << message << "\n";
  return ExitCode::UsersFault;
}

ExitCode report(llvm::Error error) { return error ? refuse(llvm::toString(std::move(error))) : ExitCode::Success; }

llvm::Error toError(attn_code code, const attn_status &status) {
  return code == ATTN_OK ? llvm::Error::success() : llvm::createStringError(llvm::StringRef(status.message));
}

void warn(llvm::StringRef message) { llvm::errs() << "attnc: warning: " << message << "\n"; }

static std::string unknown(const char *what, const std::string &word, const std::vector<std::string> &known) {
  auto meant = nearest(word, known);
  return fmt::format("no {} `{}`{}", what, word, meant ? fmt::format("; did you mean `{}`?", *meant) : "");
}

/// The first word that is no option, where it names no command.
static std::string unknownCommand(const CLI::App &app, llvm::ArrayRef<const char *> arguments) {
  std::vector<std::string> known;
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; }))
    known.push_back(command->get_name());
  for (std::string word : arguments.drop_front())
    if (word[0] != '-')
      return llvm::is_contained(known, word) ? "" : unknown("command", word, known);
  return "";
}

/// The first option that the command does not have.
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

ExitCode report(const CLI::App &app, const CLI::ParseError &error, llvm::ArrayRef<const char *> arguments) {
  if (error.get_exit_code() == 0) {
    std::ostringstream help;
    app.exit(error, help, help);
    llvm::outs() << help.str();
    return ExitCode::Success;
  }
  std::string message = unknownCommand(app, arguments), help = "attnc --help";
  for (const CLI::App *command : app.get_subcommands()) {
    help = "attnc " + command->get_name() + " --help";
    if (message.empty())
      message = unknownOption(*command);
  }
  refuse(fmt::format("{}\n  {} says what there is", message.empty() ? error.what() : message, help));
  return ExitCode::UsersFault;
}

} // namespace attnc
