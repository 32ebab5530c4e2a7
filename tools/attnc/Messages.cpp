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

namespace {

class CompileFailure : public llvm::ErrorInfo<CompileFailure> {
public:
  CompileFailure(std::string messages, ExitCode exitCode) : messages(std::move(messages)), exitCode(exitCode) {}
  void log(llvm::raw_ostream &out) const override { out << messages; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  static char ID;
  std::string messages;
  ExitCode exitCode;
};

char CompileFailure::ID = 0;

} // namespace

llvm::Error compileFailure(std::string messages, ExitCode exitCode) {
  return llvm::make_error<CompileFailure>(std::move(messages), exitCode);
}

ExitCode report(llvm::Error error) {
  ExitCode exitCode = ExitCode::Success;
  auto print = [&](const CompileFailure &failure) {
    llvm::errs() << failure.messages;
    exitCode = failure.exitCode;
  };
  if (llvm::Error other = llvm::handleErrors(std::move(error), print))
    exitCode = refuse(llvm::toString(std::move(other)));
  return exitCode;
}

llvm::Error toError(attn_code code, const attn_status &status) {
  return code == ATTN_OK ? llvm::Error::success() : llvm::createStringError(llvm::StringRef(status.message));
}

void warn(llvm::StringRef message) { llvm::errs() << "attnc: warning: " << message << "\n"; }

static std::string unknown(const char *what, const std::string &word, const std::vector<std::string> &known) {
  return fmt::format("no {} `{}`{}", what, word, didYouMean(word, known));
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
