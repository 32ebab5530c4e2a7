// The command line of the compiler: one subcommand in each file. The exit code is 0, 1 (user error) or 2 (internal
// error).
#include "compiler/Diagnostics/CrashNote.h"
#include "tools/attnc/Commands.h"
#include "tools/command-line/Allocator.h"
#include "tools/command-line/Process.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdio>
#include <new>
#include <system_error>
#include <unistd.h>

/// The exit code after flushing standard output: output that cannot be written, as on a full disk, is an error.
static attnc::ExitCode afterOutput(attnc::ExitCode exitCode) {
  std::error_code code;
  llvm::errs().clear_error(); // an error of standard error cannot be reported
  llvm::outs().flush();
  if (llvm::outs().has_error())
    code = llvm::outs().error();
  else if (std::fflush(stdout) != 0)
    code = std::error_code(errno, std::generic_category());
  else if (std::ferror(stdout) != 0) // an earlier write of the buffer failed
    code = std::make_error_code(std::errc::io_error);
  if (!code)
    return exitCode;
  llvm::outs().clear_error();
  attnc::ExitCode refused = attnc::refuse("can't write to the standard output: " + code.message());
  return exitCode == attnc::ExitCode::Success ? refused : exitCode;
}

/// Ends the process with a user error: LLVM calls this, for example, if the system cannot start a thread.
static void endWithoutThreads() {
  attnc::refuse("the system can't start more threads; see `ulimit -u`, `ulimit -v` and the limits of the container");
  _exit(static_cast<int>(attnc::ExitCode::UserError));
}

/// Installs handlers that print a message for a crash, a fatal error of LLVM, and a lack of memory or threads, and that
/// remove temporary files.
static void handleFaults() {
  // LLVM installs its signal handlers with its first temporary file, and replaces other handlers. It does so here,
  // before others are installed.
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

/// Each use of an option that can be repeated has one word, so that the words after it are other arguments.
static void limitToOneWord(CLI::App &app) {
  for (CLI::App *command : app.get_subcommands([](CLI::App *) { return true; }))
    for (CLI::Option *option : command->get_options())
      if (!option->get_positional() && option->get_expected_max() > 1)
        option->allow_extra_args(false);
}

int main(int argc, char **argv) {
  attnc::Process process;
  attnc::accountForAllocatedMemory();
  handleFaults();
  process.keepSignals();
  attnc::ExitCode exitCode = attnc::ExitCode::Success;
  CLI::App app{"Compiles attention networks ahead of time", "attnc"};
  app.set_version_flag("--version", "attnc " ATTNC_VERSION);
  app.require_subcommand(1);
  app.footer("`attnc COMMAND --help` lists the options of a command, with an example.");
  attnc::addCompile(app, exitCode);
  attnc::addImport(app, exitCode);
  attnc::addDescribe(app, exitCode);
  attnc::addExplain(app, exitCode);
  attnc::addPack(app, exitCode);
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
  limitToOneWord(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    exitCode = attnc::report(app, error, {argv, argv + argc});
  }
  return static_cast<int>(afterOutput(exitCode));
}
