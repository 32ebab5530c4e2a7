// The command line of the compiler: a subcommand each file. Ends with 0, 1 (the user's fault) or 2 (ours).
#include "tools/attnc/Commands.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdio>
#include <system_error>

/// What could not be printed is no success: a full disk shows when the last of it is written.
static attnc::ExitCode afterOutput(attnc::ExitCode exitCode) {
  std::error_code code;
  llvm::outs().flush();
  if (llvm::outs().has_error())
    code = llvm::outs().error();
  else if (std::fflush(stdout) != 0)
    code = std::error_code(errno, std::generic_category());
  else if (std::ferror(stdout) != 0) // what did not fit in the buffer was written earlier
    code = std::make_error_code(std::errc::io_error);
  if (!code)
    return exitCode;
  llvm::outs().clear_error();
  attnc::ExitCode refused = attnc::refuse("can't write to the standard output: " + code.message());
  return exitCode == attnc::ExitCode::Success ? refused : exitCode;
}

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
  attnc::addTrain(app, exitCode);
  attnc::addEvaluate(app, exitCode);
  attnc::addGenerate(app, exitCode);
  attnc::addMachine(app, exitCode);
  attnc::addStudy(app, exitCode);
  attnc::addBench(app, exitCode);
  attnc::addCompare(app, exitCode);
  attnc::addTune(app, exitCode);
  attnc::addMergeTuning(app, exitCode);
  attnc::addVerify(app, exitCode);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    exitCode = attnc::report(app, error, {argv, argv + argc});
  }
  return static_cast<int>(afterOutput(exitCode));
}
