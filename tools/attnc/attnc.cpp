// The command line of the compiler: a subcommand each file. Ends with 0, 1 (the user's fault) or 2 (ours).
#include "tools/attnc/Commands.h"
#include "compiler/Diagnostics/CrashNote.h"
#include "tools/command-line/Process.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdio>
#include <new>
#include <system_error>
#include <unistd.h>

/// What could not be printed is no success: a full disk shows when the last of it is written.
static attnc::ExitCode afterOutput(attnc::ExitCode exitCode) {
  std::error_code code;
  llvm::errs().clear_error(); // nobody is left to tell
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

/// Ends the process, which has nothing of its own to blame: LLVM ends it where the system starts no thread for it.
static void endWithoutThreads() {
  attnc::refuse("the system can't start more threads; see `ulimit -u`, `ulimit -v` and the limits of the container");
  _exit(static_cast<int>(attnc::ExitCode::UserError));
}

/// A crash, an error that LLVM takes for fatal, and the end of memory or threads become a message each; temporary files
/// are removed.
static void handleFaults() {
  // LLVM handles signals from its first temporary file on, whoever handled or ignored them before: so it begins here.
  llvm::sys::SetInterruptFunction(nullptr);
  attnc::installCrashHandler();
  llvm::install_fatal_error_handler([](void *, const char *reason, bool) {
    llvm::sys::RunInterruptHandlers();
    if (llvm::StringRef(reason).starts_with("pthread_create failed"))
      endWithoutThreads();
    attnc::endByCrash(reason);
  });
  auto endOutOfMemory = [](void *, const char *, bool) {
    llvm::sys::RunInterruptHandlers();
    attnc::endOutOfMemory();
  };
  llvm::install_bad_alloc_error_handler(endOutOfMemory);
  std::set_new_handler([] { llvm::report_bad_alloc_error("new"); });
}

int main(int argc, char **argv) {
  attnc::Process process;
  handleFaults();
  process.keepSignals();
  attnc::ExitCode exitCode = attnc::ExitCode::Success;
  CLI::App app{"Compiles attention networks ahead of time", "attnc"};
  app.set_version_flag("--version", "attnc " ATTNC_VERSION);
  app.require_subcommand(1);
  app.footer("`attnc COMMAND --help` lists the options of a command, with an example.");
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
