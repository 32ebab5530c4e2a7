// attnc tune: searches for the best schedules of a model's kernels, and stores them in a database.
#include "compiler/Diagnostics/Spelling.h"
#include "compiler/Emit/OutputFiles.h"
#include "compiler/Json/InputBuffer.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/Messages/Printing.h"
#include "tools/attnc/Options/PinnedThreads.h"
#include "tools/attnc/Options/Validators.h"
#include "tools/attnc/Tune/Tuner.h"
#include "tools/command-line/Command.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

using namespace llvm;

namespace attnc {

namespace {

struct TuneOptions {
  SourceOptions source;
  InvocationOptions invocation;
  TunerOptions tuner;
  std::string database;
  bool resumes = false;
};

/// The progress of a search: on a terminal, one line that is overwritten.
class SearchProgress {
public:
  explicit SearchProgress(double budget) : budget(budget), start(std::chrono::steady_clock::now()) {}
  ~SearchProgress() {
    if (isShown)
      printTo(stderr, "\r\033[K");
  }
  double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }
  void show(int rounds, double gain) {
    if (!isatty(STDERR_FILENO))
      return;
    isShown = true;
    int filled = std::min(30, static_cast<int>(30 * elapsed() / std::max(budget, 1e-9)));
    printTo(stderr, "\r\033[K[{}{}] {:.0f} of {:.0f} s  {} round{}  {:.2f} x", std::string(filled, '='),
            std::string(30 - filled, ' '), elapsed(), budget, rounds, rounds == 1 ? "" : "s", gain);
    std::fflush(stderr);
  }

private:
  double budget;
  std::chrono::steady_clock::time_point start;
  bool isShown = false;
};

} // namespace

/// Checks the keys of --only.
static CLI::Validator searchedKey() {
  return CLI::Validator(
      [](const std::string &key) {
        std::vector<std::string> keys = searchedKeys();
        return is_contained(keys, key) ? std::string()
                                       : fmt::format("there is no key `{}` to search; expected one of {}{}", key,
                                                     join(keys, ", "), didYouMean(key, keys));
      },
      "");
}

/// The database at `path`; an empty one if there is no file.
static Expected<TuningDatabase> databaseAt(const std::string &path) {
  return sys::fs::exists(path) ? TuningDatabase::load(path) : Expected<TuningDatabase>(TuningDatabase());
}

static Error resume(const TuneOptions &options, const std::string &path, Tuner &tuner) {
  if (!options.resumes)
    return Error::success();
  auto file = readInputFile(path);
  if (!file)
    return createStringError("--resume: can't read " + path + ": " + toString(file.takeError()));
  return resumeSearch(path, (*file)->getBuffer(), tuner.kernels());
}

static Error search(const TuneOptions &options, const std::string &searchPath, Tuner &tuner) {
  SearchProgress progress(options.tuner.seconds);
  while (progress.elapsed() < options.tuner.seconds) {
    auto goesOn = tuner.round();
    if (!goesOn)
      return goesOn.takeError();
    if (Error error = OutputFiles::replace(searchPath, searchText(tuner.kernels())))
      return error;
    if (!*goesOn)
      break;
    progress.show(tuner.roundsDone(), tuner.gainSoFar());
  }
  return Error::success();
}

static void print(const TuneOptions &options, const Tuner &tuner, const TuningResult &result) {
  for (const std::string &problem : tuner.problems())
    printTo(stdout, "left out: {}\n", problem);
  if (size_t count = tuner.waiting())
    printTo(stdout, "not tried before the search ended: {} change{} of rounds whose results differ\n", count,
            count == 1 ? "" : "s");
  size_t faster = result.entries.size();
  printTo(stdout, "{} round{}; {} kernel{} faster than by default\n", tuner.roundsDone(),
          tuner.roundsDone() == 1 ? "" : "s", faster, faster == 1 ? " is" : "s are");
  for (auto [name, entry] : zip(result.names, result.entries))
    printTo(stdout, "  {:<32} {:.2f} x  {:.4f} ms  {}\n", name, entry.gain, 1e3 * entry.seconds,
            textOf(entry.overrides));
  printTo(stdout, "a call takes {:.4f} ms, by default {:.4f} ms: {:.2f} x; written to {}\n", 1e3 * result.tunedSeconds,
          1e3 * result.defaultSeconds, result.defaultSeconds / result.tunedSeconds, options.database);
}

static Error tune(TuneOptions &options) {
  auto target = Target::resolve(options.source.compile.target);
  if (!target)
    return target.takeError();
  if (target->isDevice)
    return createStringError(options.source.compile.target + " is a device: tune times kernels of processors");
  if (!options.source.compile.tuning.empty() || !options.source.compile.overrides.empty())
    return createStringError("tune searches from the default: --tuning, --override and --strategy have no effect");
  auto database = databaseAt(options.database);
  if (!database)
    return database.takeError();
  if (Error error = takeSizes(options.source, options.invocation, /*least=*/1))
    return error;
  options.invocation.ranges = options.source.rangesOf(options.invocation.entry, Phase::Derive);
  pinTo(options.invocation.threads);
  // A fingerprint does not depend on other entry points, so only the searched one is compiled, many times.
  options.source.compile.entries = {options.invocation.entry};
  options.source.compile.kernelNames = NamesOf::Entry;
  Tuner tuner(options.source, options.invocation, options.tuner);
  std::string searchPath = options.database + ".search";
  if (Error error = tuner.start())
    return error;
  if (Error error = resume(options, searchPath, tuner))
    return error;
  if (Error error = search(options, searchPath, tuner))
    return error;
  auto result = tuner.finish();
  if (!result)
    return result.takeError();
  for (const TuningEntry &entry : result->entries)
    database->add(entry);
  if (Error error = OutputFiles::replace(options.database, database->text()))
    return error;
  print(options, tuner, *result);
  return Error::success();
}

void addTune(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<TuneOptions>();
  options->invocation.fillMissing = true;
  options->invocation.threads = 1;
  CLI::App *command = addCommand(app, "tune", "Search schedules of a model's kernels, and store the best");
  options->source.addTo(*command, SourceOptions::Takes::Models);
  options->invocation.addTo(*command);
  options->source.takeWeights(*command, options->invocation.weights);
  command->add_option("--database", options->database, "The tuning database to extend; created if it is missing")
      ->type_name("FILE")
      ->required();
  command->add_option("--budget", options->tuner.seconds, "Duration of the search in seconds")
      ->check(atLeast(0))
      ->type_name("SECONDS")
      ->capture_default_str();
  command
      ->add_option("--rounds", options->tuner.rounds,
                   "Maximum number of rounds; a round tries one change of each kernel")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command
      ->add_option("--only", options->tuner.only,
                   "Change only these: emitter, or keys of schedules, separated by commas")
      ->delimiter(',')
      ->check(searchedKey())
      ->type_name("KEY");
  command
      ->add_option("--least-share", options->tuner.leastShare, "Skip kernels with a smaller fraction of a call's time")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--search-seed", options->tuner.seed, "Seed of the choice and order of candidates")
      ->capture_default_str();
  command->add_flag("--resume", options->resumes,
                    "Continue the search in FILE.search, which a search writes after each round");
  command->footer("Example:\n  attnc tune examples/chargpt/chargpt.attn --entry logits --dim batch=1 --dim seq=128 "
                  "--database chargpt.tuning\n  attnc compile examples/chargpt/chargpt.attn --tuning chargpt.tuning");
  command->callback([options, &exitCode] { exitCode = report(tune(*options)); });
}

static Error merge(const std::string &output, const std::vector<std::string> &inputs) {
  TuningDatabase merged;
  for (const std::string &path : inputs) {
    auto database = TuningDatabase::load(path);
    if (!database)
      return database.takeError();
    merged.add(*database);
  }
  return OutputFiles::replace(output, merged.text());
}

void addMergeTuning(CLI::App &app, ExitCode &exitCode) {
  auto output = std::make_shared<std::string>();
  auto inputs = std::make_shared<std::vector<std::string>>();
  CLI::App *command = addCommand(app, "merge-tuning", "Merge tuning databases: the larger gain of each kernel wins");
  command->add_option("databases", *inputs, "Files that `attnc tune` wrote")->required();
  command->add_option("-o,--output", *output, "The file to write")->type_name("FILE")->required();
  command->footer("Example:\n  attnc merge-tuning here.tuning there.tuning -o all.tuning");
  command->callback([output, inputs, &exitCode] { exitCode = report(merge(*output, *inputs)); });
}

} // namespace attnc
