#include "tools/attnc/Messages/Messages.h"
#include "compiler/Diagnostics/Printable.h"
#include "compiler/Diagnostics/Spelling.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <fmt/ranges.h>

namespace attnc {

ExitCode refuse(llvm::StringRef message) {
  llvm::errs() << "attnc: error: " << printableLines(message) << "\n";
  return ExitCode::UserError;
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

void warn(llvm::StringRef message) { llvm::errs() << "attnc: warning: " << printableLines(message) << "\n"; }

std::string whatThereIs(const std::string &word, std::vector<std::string> known) {
  constexpr size_t most = 8;
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::string suggestion = didYouMean(word, known);
  if (!suggestion.empty() || known.empty())
    return suggestion;
  return fmt::format("; there {} {}{}", known.size() == 1 ? "is" : "are",
                     fmt::join(llvm::ArrayRef(known).take_front(most), ", "),
                     known.size() > most ? fmt::format(" and {} more", known.size() - most) : "");
}

ExitCode report(const CLI::App &app, const CLI::ParseError &error, llvm::ArrayRef<const char *> arguments) {
  if (!asksForHelp(error))
    return refuse(usageError(app, error, {arguments.data(), arguments.size()}));
  llvm::outs() << helpText(app, error);
  return ExitCode::Success;
}

} // namespace attnc
