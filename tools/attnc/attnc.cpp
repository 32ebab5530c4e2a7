// The command line of the compiler: a subcommand each file. Ends with 0, 1 (the user's fault) or 2 (ours).
#include "tools/attnc/Commands.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

ExitCode report(llvm::Error error) {
  if (!error)
    return ExitCode::Success;
  llvm::errs() << "attnc: error: " << llvm::toString(std::move(error)) << "\n";
  return ExitCode::UsersFault;
}

} // namespace attnc

int main(int argc, char **argv) {
  llvm::InitLLVM process(argc, argv);
  attnc::ExitCode exitCode = attnc::ExitCode::Success;
  CLI::App app{"Compiles attention networks ahead of time", "attnc"};
  app.set_version_flag("--version", "attnc " ATTNC_VERSION);
  app.require_subcommand(1);
  attnc::addCompile(app, exitCode);
  attnc::addDescribe(app, exitCode);
  attnc::addExplain(app, exitCode);
  attnc::addRun(app, exitCode);
  attnc::addBench(app, exitCode);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(attnc::ExitCode::UsersFault);
  }
  return static_cast<int>(exitCode);
}
