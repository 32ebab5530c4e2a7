// Test-case reducer: shrinks a model or module that shows a fault, by delta debugging (docs/reduce.md).
#include "compiler/Diagnostics/InputFile.h"
#include "compiler/Diagnostics/Printable.h"
#include "compiler/Emit/OutputFiles.h"
#include "tools/attn-reduce/CommandQuestion.h"
#include "tools/attn-reduce/Interruption.h"
#include "tools/attn-reduce/Model/ModelSubject.h"
#include "tools/attn-reduce/Module/ModuleSubject.h"
#include "tools/attn-reduce/Search.h"
#include "tools/command-line/Process.h"
#include "tools/command-line/UsageError.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <thread>
#include <unistd.h>

using namespace attnc;
using namespace attnc::reduce;

namespace {

struct Options {
  std::string input, output, script;
  bool check = false;
  Criteria criteria;
  Limits limits{20, int64_t(8) << 30};
  double gigabytes = 8;
  size_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::string> words; ///< the words after `--`

  bool isModel() const { return llvm::StringRef(input).ends_with(".attn"); }
  bool hasStreamOutput() const { return OutputFiles::isStream(output); }
};

/// A temporary folder, which the destructor removes with its content.
class WorkFolder {
public:
  WorkFolder() : code(llvm::sys::fs::createUniqueDirectory("attn-reduce", path)) {}
  ~WorkFolder() {
    if (!code)
      llvm::sys::fs::remove_directories(path);
  }
  llvm::SmallString<128> path;
  const std::error_code code;
};

} // namespace

static int refuse(const llvm::Twine &message) {
  llvm::errs() << "attn-reduce: error: " << attnc::printableLines(message.str()) << "\n";
  return userError;
}

/// The command for each candidate: the script, the command after `--`, or attnc with the options after `--`.
static std::vector<std::string> commandOf(const Options &options, const char *program) {
  std::vector<std::string> command;
  bool isCommand = !options.words.empty() && !llvm::StringRef(options.words[0]).starts_with("-");
  if (!options.script.empty()) {
    command = {options.script, CommandQuestion::fileWord};
  } else if (!isCommand) {
    static int anchor;
    llvm::SmallString<128> attnc(llvm::sys::fs::getMainExecutable(program, &anchor));
    llvm::sys::path::remove_filename(attnc);
    llvm::sys::path::append(attnc, "attnc");
    command = {attnc.str().str(), options.check ? "run" : "compile", CommandQuestion::fileWord};
    if (options.check)
      command.insert(command.end(), {"--random", "--check"});
    else
      command.insert(command.end(), {"-o", CommandQuestion::folderWord});
  }
  command.insert(command.end(), options.words.begin(), options.words.end());
  if (!llvm::is_contained(command, CommandQuestion::fileWord))
    command.push_back(CommandQuestion::fileWord);
  return command;
}

/// Checks that a program exists, by its path or its name.
static llvm::Error checkProgram(const std::string &program) {
  bool isPath = llvm::StringRef(program).contains('/');
  std::error_code code;
  if (!isPath)
    code = llvm::sys::findProgramByName(program).getError();
  else if (!llvm::sys::fs::can_execute(program))
    code = llvm::sys::fs::exists(program) ? std::make_error_code(std::errc::permission_denied)
                                          : std::make_error_code(std::errc::no_such_file_or_directory);
  return code ? llvm::createStringError(code, "can't run " + program + ": " + code.message()) : llvm::Error::success();
}

/// The hyperparameters that a command line sets.
static CheckOptions checkOptionsOf(const std::vector<std::string> &command) {
  CheckOptions options;
  bool isSetting = false;
  for (llvm::StringRef word : command) {
    auto [name, value] = word.split('=');
    if (isSetting && !value.empty())
      options.settings.emplace_back(name.str(), value.str());
    isSetting = word == "--set" || (isSetting && !value.empty());
  }
  return options;
}

/// The files and folders that a model may use from its folder, but not the model itself.
static std::vector<std::string> besides(const Options &options, const std::string &text) {
  std::vector<std::string> paths;
  if (!options.isModel())
    return paths;
  llvm::SmallString<128> folder(options.input);
  llvm::sys::fs::make_absolute(folder);
  llvm::sys::path::remove_filename(folder);
  for (const std::string &name : ModelSubject::usedBy(text))
    for (const std::string &path : {(folder + "/" + name + ".attn").str(), (folder + "/" + name).str()})
      if (llvm::sys::fs::exists(path) && !llvm::sys::fs::equivalent(path, options.input) &&
          !llvm::is_contained(paths, path))
        paths.push_back(path);
  return paths;
}

//===- Messages -------------------------------------------------------------------------------------------------===//

static std::string quantity(const Subject &subject, const std::string &text) {
  return std::to_string(subject.sizeOf(text).parts) + " " + subject.partsName();
}

/// The reason for which the original text is not interesting.
static std::string whyNot(const Options &options, const Ending &ending) {
  std::string how = ending.ranOut        ? "exceeded its time"
                    : ending.signal != 0 ? "was ended by signal " + std::to_string(ending.signal)
                                         : "ended with " + std::to_string(ending.exitCode);
  std::string named = ending.output;
  for (size_t at = 0; (at = named.find(CommandQuestion::fileWord, at)) != std::string::npos; at += options.input.size())
    named.replace(at, 2, options.input);
  llvm::StringRef printed = llvm::StringRef(named).trim();
  return options.input + " does not show the fault: the command should " + options.criteria.text() + ", but it " + how +
         (printed.empty() ? "" : " and printed\n" + printed.take_back(2000).str());
}

/// Writes the smallest text so far to the output file. A stream can't be rewritten, so it gets only the final text.
static llvm::Error keepSmaller(const Options &options, const std::string &text) {
  return options.hasStreamOutput() ? llvm::Error::success() : OutputFiles::replace(options.output, text);
}

/// Writes each accepted text, and shows progress on a terminal.
static Search::Watcher watcherFor(const Options &options, const Subject &subject, const Interruption &interruption,
                                  llvm::Error &error) {
  bool isTerminal = isatty(STDERR_FILENO);
  auto taken = [&options, &error](const std::string &text) {
    error = keepSmaller(options, text);
    return !error;
  };
  auto progress = [&subject, isTerminal](const Transformation &now, const Size &size, const Statistics &statistics) {
    if (isTerminal)
      llvm::errs() << "\r\033[K" << size.parts << " " << subject.partsName() << ", " << statistics.tried
                   << " candidates tried: " << now.name;
  };
  return {taken, progress, [&interruption] { return !interruption.hasCome(); }};
}

//===- The reduction --------------------------------------------------------------------------------------------===//

/// Reduces `text` by the interestingness test `question`.
static int reduceText(const Options &options, const Subject &subject, CommandQuestion &question,
                      const Interruption &interruption, const std::string &text) {
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<Ending> ending = question.endingOf(text);
  if (!ending)
    return refuse(llvm::toString(ending.takeError()));
  if (!options.criteria.holdFor(*ending))
    return refuse(whyNot(options, *ending));
  llvm::Error error = keepSmaller(options, text);
  if (error)
    return refuse(llvm::toString(std::move(error)));
  Search search(subject, question, watcherFor(options, subject, interruption, error));
  std::string smallest = search.run(text);
  if (options.hasStreamOutput())
    error = llvm::joinErrors(std::move(error), OutputFiles::replace(options.output, smallest));
  if (llvm::Error failed = llvm::joinErrors(std::move(error), question.takeError()))
    return refuse(llvm::toString(std::move(failed)));
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (isatty(STDERR_FILENO))
    llvm::errs() << "\r\033[K";
  if (interruption.hasCome())
    return refuse("interrupted; " + options.output + " has the smallest found so far: " + quantity(subject, smallest));
  const Statistics &counts = search.statistics();
  llvm::errs() << options.output << ": " << quantity(subject, smallest) << ", from " << quantity(subject, text) << "; "
               << counts.tried << " candidates tried in " << counts.rounds << " rounds, " << counts.taken
               << " accepted, " << llvm::format("%.1f", seconds) << " s\n";
  return EXIT_SUCCESS;
}

static int run(Options &options, const char *program, const Interruption &interruption) {
  std::string reason;
  std::optional<std::string> read = readText(options.input, reason);
  if (!read)
    return refuse("can't read " + options.input + ": " + reason);
  const std::string &text = *read;
  WorkFolder folder;
  if (folder.code)
    return refuse("can't create a folder for candidates: " + folder.code.message());
  if (options.check)
    options.criteria.prints = "differs from the oracle";
  options.criteria.succeeds = !options.script.empty();
  if (options.criteria.isEmpty())
    return refuse("no test is given; expected --expect, --crash, --hang, --check or --test");
  options.limits.bytes = int64_t(options.gigabytes * double(1 << 30));
  CommandQuestion::Options asked{.command = commandOf(options, program),
                                 .criteria = options.criteria,
                                 .limits = options.limits,
                                 .jobs = options.jobs,
                                 .fileName = llvm::sys::path::filename(options.input).str(),
                                 .workFolder = folder.path.str().str(),
                                 .besides = besides(options, text)};
  if (llvm::Error error = checkProgram(asked.command.front()))
    return refuse(llvm::toString(std::move(error)));
  std::unique_ptr<Subject> subject;
  if (options.isModel()) {
    subject =
        std::make_unique<ModelSubject>(options.input, text, checkOptionsOf(asked.command), options.criteria.prints);
  } else {
    auto module = std::make_unique<ModuleSubject>();
    std::string problem;
    if (!module->parse(text, options.input, &problem))
      return refuse(options.input +
                    " is not a valid module; expected a model (.attn) or a module that attn-opt reads (.mlir)" +
                    (problem.empty() ? "" : "\n  " + problem));
    subject = std::move(module);
  }
  auto question = CommandQuestion::create(std::move(asked), interruption);
  return question ? reduceText(options, *subject, **question, interruption, text)
                  : refuse(llvm::toString(question.takeError()));
}

static void addCriteria(CLI::App &app, Options &options) {
  CLI::Option *script = app.add_option("--test", options.script,
                                       "Keep candidates for which this program ends with 0; its argument is the file")
                            ->type_name("PROGRAM");
  auto isText = [](const std::string &text) { return text.empty() ? "expected a text that is not empty" : ""; };
  CLI::Option *expect =
      app.add_option("--expect", options.criteria.prints, "Keep candidates for which the command prints this text")
          ->type_name("TEXT")
          ->check(CLI::Validator(isText, ""));
  CLI::Option *crash =
      app.add_flag("--crash", options.criteria.crashes,
                   "Keep candidates for which the command ends by a signal or an internal error of attnc");
  CLI::Option *hang = app.add_flag("--hang", options.criteria.hangs,
                                   "Keep candidates for which the command does not end within --seconds");
  CLI::Option *check = app.add_flag("--check", options.check, "Keep candidates whose results differ from the oracle's");
  crash->excludes(hang); // contradictory options
  for (CLI::Option *ends : {script, check})
    ends->excludes(crash)->excludes(hang);
  check->excludes(script)->excludes(expect);
}

int main(int argc, char **argv) {
  Process process;
  Interruption interruption;
  llvm::InitLLVM llvm(argc, argv);
  process.keepSignals();
  Options options;
  CLI::App app{"Shrinks a model or a module to the smallest one that still shows a fault", "attn-reduce"};
  app.add_option("input", options.input, "A model (.attn), or a module (.mlir)")->required();
  app.add_option("-o,--output", options.output,
                 "The file to write; it always has the smallest one found so far. `-`: the standard output, at the end")
      ->required()
      ->type_name("FILE");
  addCriteria(app, options);
  app.add_option("--seconds", options.limits.seconds, "Maximum time of a candidate")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--gigabytes", options.gigabytes, "Maximum memory of a candidate; 0: unlimited")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("-j,--jobs", options.jobs, "Candidates tested in parallel; the result does not depend on it")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("command", options.words,
                 "After `--`: a command, in which {} is the file, or options of `attnc compile` (with --check, of "
                 "`attnc run`),\nwhich runs by default");
  app.footer("Example:\n  attn-reduce model.attn --expect 'the compiler failed' -o small.attn -- --set layers=1");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (!asksForHelp(error))
      return refuse(usageError(app, error, {argv, argv + argc}));
    llvm::outs() << helpText(app, error);
    return EXIT_SUCCESS;
  }
  if (options.output == "-")
    options.output = "/dev/stdout";
  int exitCode = run(options, argv[0], interruption);
  if (interruption.hasCome())
    interruption.end(); // after the work folder has been removed
  return exitCode;
}
