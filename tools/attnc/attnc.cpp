// The command line of the compiler: a subcommand each file. Ends with 0, 1 (the user's fault) or 2 (ours).
#include "tools/attnc/Commands.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM process(argc, argv);
  attnc::ExitCode exitCode = attnc::ExitCode::Success;
  CLI::App app{"Compiles attention networks ahead of time", "attnc"};
  app.set_version_flag("--version", "attnc " ATTNC_VERSION);
  app.require_subcommand(1);
  app.footer("`attnc COMMAND --help` has the options of a command, and an example.");
  attnc::addCompile(app, exitCode);
  attnc::addDescribe(app, exitCode);
  attnc::addExplain(app, exitCode);
  attnc::addRun(app, exitCode);
  attnc::addBench(app, exitCode);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return static_cast<int>(attnc::report(app, error, {argv, argv + argc}));
  }
  return static_cast<int>(exitCode);
}
