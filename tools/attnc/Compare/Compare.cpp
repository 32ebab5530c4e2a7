// attnc compare: compiles an entry point with several strategies, and compares their time, memory, traffic and error.
#include "compiler/Schedule/Strategy.h"
#include "tools/attnc/Call/EntryResults.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/Compare/CompareReport.h"
#include "tools/attnc/Compare/Strategies.h"
#include "tools/attnc/Options/PinnedThreads.h"
#include "tools/attnc/Options/Validators.h"
#include "tools/command-line/Command.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace attnc {

namespace {
struct CompareOptions {
  SourceOptions source;
  InvocationOptions invocation;
  std::vector<std::string> strategies, files;
  std::string page, region;
  int repetitions = 9;
  double tolerance = 8;
  bool json = false, checks = true;
};
} // namespace

static Expected<std::vector<NamedStrategy>> strategiesOf(const CompareOptions &options) {
  bool isAll = options.strategies.empty() && options.files.empty();
  auto strategies =
      isAll ? Expected<std::vector<NamedStrategy>>(knownStrategies()) : strategiesNamed(options.strategies);
  if (!strategies)
    return strategies;
  for (const std::string &path : options.files) {
    auto strategy = strategyOfFile(path);
    if (!strategy)
      return strategy.takeError();
    if (any_of(*strategies, [&](const NamedStrategy &each) { return each.name == strategy->name; }))
      return createStringError("a strategy `" + strategy->name + "` exists already; give " + path + " another name");
    strategies->push_back(std::move(*strategy));
  }
  return strategies;
}

/// Rejects --emitter, which takes precedence over overrides and would change the strategies.
static Error checkEmitter(const CompareOptions &options, ArrayRef<NamedStrategy> strategies) {
  for (const NamedStrategy &strategy : strategies) {
    auto own = emitterOverride(strategy.overrides);
    if (!own)
      return own.takeError();
    if (options.source.compile.emitter && *own)
      return createStringError("--emitter would override strategy `" + strategy.name +
                               "`; strategies override --override model.emitter=NAME");
  }
  return Error::success();
}

namespace {

/// Runs candidates one after another, round by round, so that changes of the machine's speed affect all in the same
/// way.
class Contest {
public:
  Contest(const CompareOptions &options, Comparison &comparison) : options(options), comparison(comparison) {}

  Error run() {
    if (Error error = compileAll())
      return error;
    if (Error error = check())
      return error;
    for (int round = 0; round < options.repetitions; ++round)
      for (size_t each = 0; each < running.size(); ++each)
        if (size_t number = (each + round) % running.size(); running[number])
          if (Error error = running[number]->run(/*counts=*/true))
            return error;
    return Error::success();
  }

private:
  /// The default, which comes first, and the user's strategies must compile; built-in strategies need not.
  Error compileAll() {
    for (Candidate &candidate : comparison.candidates) {
      auto made = std::make_unique<RunningCandidate>(candidate, options.source, options.invocation);
      if (!made->isReady() && (running.empty() || candidate.strategy.isOwn))
        return made->whyNot();
      if (made->isReady())
        if (Error error = describe(candidate, *made))
          return error;
      running.push_back(made->isReady() && !candidate.sameAs ? std::move(made) : nullptr);
    }
    comparison.entry = running.front()->invocation().entry->name;
    return Error::success();
  }

  /// Describes the code of a candidate, and finds an earlier candidate with the same code.
  Error describe(Candidate &candidate, RunningCandidate &made) {
    if (Error error = made.describe(comparison.region))
      return error;
    const std::vector<CandidateKernel> &byDefault = comparison.candidates.front().kernels;
    for (CandidateKernel &kernel : candidate.kernels)
      kernel.isAsDefault = any_of(byDefault, [&](const CandidateKernel &each) { return each.code == kernel.code; });
    for (auto [number, before] : enumerate(running))
      if (before && !candidate.sameAs && comparison.candidates[number].isSameCode(candidate))
        candidate.sameAs = number;
    return Error::success();
  }

  /// Whether all candidates have the same exact answers: no updates and no rounding of stored tensors or integers.
  bool shareAnswers() const {
    const attn_entry_info &entry = *running.front()->invocation().entry;
    return !entry.updates && options.source.compile.precision == Precision::F32 &&
           all_of(resultsOf(entry), [](const attn_tensor_info &result) { return result.dtype == ATTN_F32; });
  }

  /// Calls each candidate once, to warm up, and checks the results of this call.
  Error check() {
    std::vector<Answer> answers;
    if (options.checks && shareAnswers()) {
      auto written = compileAsWritten(options.source.compile);
      if (!written)
        return written.takeError();
      RunningCandidate &first = *running.front();
      auto exact = answersOf(**written, first.compilation(), options.source.compile.precision, first.invocation());
      if (!exact)
        return exact.takeError();
      answers = std::move(*exact);
    }
    for (auto [candidate, each] : zip(comparison.candidates, running))
      if (each)
        if (Error error = checkOne(candidate, *each, answers))
          return error;
    return Error::success();
  }

  Error checkOne(Candidate &candidate, RunningCandidate &each, ArrayRef<Answer> answers) {
    Invocation &call = each.invocation();
    if (!options.checks)
      return each.run(/*counts=*/false);
    bool isAlone = answers.empty();
    reference::Parameters before = parametersOf(call);
    if (Error error = each.run(/*counts=*/false))
      return error;
    if (!isAlone)
      candidate.deviations = compareWithAnswers(call, answers);
    if (!isAlone && !candidate.isWrong(options.tolerance))
      return Error::success();
    auto deviations = compareWithOracle(options.source.compile, each.compilation(), call, before, options.tolerance);
    if (!deviations)
      return deviations.takeError();
    candidate.deviations = std::move(*deviations);
    return Error::success();
  }

  const CompareOptions &options;
  Comparison &comparison;
  std::vector<std::unique_ptr<RunningCandidate>> running; ///< null if not callable, or the same code as another
};

} // namespace

static Error compare(CompareOptions &options) {
  Comparison comparison;
  if (Error error = takeSizes(options.source, options.invocation, /*least=*/0))
    return error;
  auto strategies = strategiesOf(options);
  if (!strategies)
    return strategies.takeError();
  if (Error error = checkEmitter(options, *strategies))
    return error;
  auto target = Target::resolve(options.source.compile.target);
  if (!target)
    return target.takeError();
  if (target->isDevice)
    return createStringError(options.source.compile.target + " is a device: compare times code of processors");
  for (NamedStrategy &strategy : *strategies)
    comparison.candidates.push_back({.strategy = std::move(strategy)});
  comparison.source = sys::path::filename(options.source.input()).str();
  comparison.sizes = ArrayRef(options.source.compile.at).drop_back();
  comparison.threads = int(options.invocation.threads);
  comparison.repetitions = options.repetitions;
  comparison.tolerance = options.tolerance;
  comparison.region = Region(options.region);
  options.source.compile.kernelNames = NamesOf::Model; // the names in strategies and regions
  options.invocation.ranges = options.source.rangesOf(options.invocation.entry, Phase::Derive);
  options.invocation.keepsParameters = options.checks;
  pinTo(comparison.threads);
  if (Error error = Contest(options, comparison).run())
    return error;
  if (options.json)
    writeJson(comparison, outs());
  else
    printTable(comparison, outs());
  if (!options.page.empty())
    if (Error error = writePage(options.page, comparison))
      return error;
  std::string wrong;
  for (const Candidate &each : comparison.candidates)
    if (each.isWrong(options.tolerance))
      wrong += (wrong.empty() ? "" : ", ") + each.strategy.name;
  return wrong.empty() ? Error::success()
                       : createStringError("differs from the oracle by more than rounding explains: " + wrong);
}

void addCompare(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<CompareOptions>();
  options->invocation.fillMissing = true;
  options->invocation.threads = 1;
  CLI::App *command =
      addCommand(app, "compare", "Compile an entry point by several strategies, and compare the results");
  options->source.addTo(*command, SourceOptions::Takes::Models);
  options->invocation.addTo(*command);
  options->source.takeWeights(*command, options->invocation.weights);
  std::string known;
  for (const NamedStrategy &each : knownStrategies())
    known += "\n  " + each.name + ": " + each.about;
  command->add_option("--strategies", options->strategies, "The strategies to compare; all if not given:" + known)
      ->type_name("NAME,...")
      ->delimiter(',');
  command->add_option("--with", options->files, "A strategy file to compare as well (docs/strategies.md)")
      ->type_name("FILE");
  command
      ->add_option(
          "--region", options->region,
          "Compare a region of the entry point: a kernel of the default strategy, a kind of kernel, or a source "
          "location,\nsuch as loss_gemm_1, gemm or gpt.attn:41:9, with the kernels of other strategies that compute it")
      ->type_name("WHAT");
  command
      ->add_option("--repetitions", options->repetitions,
                   "Calls of each strategy, in alternation; the median is reported")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_flag("!--no-check", options->checks,
                    "Don't compare results with the double-precision oracle, which is slow for large models");
  command->add_option("--tolerance", options->tolerance, "As in `attnc run --check`")
      ->check(atLeast(0))
      ->type_name("C")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON");
  command->add_option("--html", options->page, "Also write an HTML page with charts")->type_name("FILE");
  command->footer("Missing inputs are random. The exit code is 1 if a result is wrong.\n\n"
                  "Example:\n  attnc compare examples/chargpt/chargpt.attn --entry logits --dim batch=1 --dim seq=128");
  command->callback([options, &exitCode] { exitCode = report(compare(*options)); });
}

} // namespace attnc
