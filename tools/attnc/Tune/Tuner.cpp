#include "tools/attnc/Tune/Tuner.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "compiler/Emitters/Emitters.h"
#include "compiler/Schedule/Schedule.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace llvm;

namespace attnc {

/// A gain below this may be chance.
static constexpr double leastGain = 1.02;
/// Seconds for which calls of two candidates alternate in a round, and at the end.
static constexpr double roundSeconds = 0.3, finalSeconds = 1.5;

static double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[size_t(part * double(values.size() - 1))];
}

/// The time of a divided by that of b; 1 if the gain may be chance, because the upper quartile of b's times is not
/// below the lower quartile of a's.
static double certainGain(const Profile::Line *a, const Profile::Line *b) {
  if (!a || !b || quantile(b->seconds, 0.75) >= quantile(a->seconds, 0.25))
    return 1;
  double gain = median(a->seconds) / median(b->seconds);
  return gain >= leastGain ? gain : 1;
}

//===-------------------------------------------- compiling ---------------------------------------------------===//

static std::vector<Override> overridesOf(const Changes &settings) {
  std::vector<Override> overrides;
  for (const auto &[kernel, each] : settings)
    for (const auto &[key, value] : each)
      overrides.push_back({kernel, key, value});
  return overrides;
}

static Settings settingsOf(const CompiledKernel &kernel) {
  Settings settings = {{emitterKey, kernel.emitter}};
  mlir::func::FuncOp function = kernel.function;
  for (mlir::NamedAttribute choice : chosenSchedule(function))
    settings[choice.getName().str()] = *choiceText(choice.getValue());
  return settings;
}

std::unique_ptr<Tuner::Running> Tuner::compileWith(const Changes &overrides) {
  auto made = std::make_unique<Running>();
  made->candidate.strategy.overrides = overridesOf(overrides);
  made->code = std::make_unique<RunningCandidate>(made->candidate, source, invocation);
  if (made->code->isReady())
    for (const CompiledKernel &kernel : made->code->compilation().program.kernels) {
      mlir::func::FuncOp function = kernel.function;
      made->has[function.getName().str()] = settingsOf(kernel);
    }
  return made;
}

bool Tuner::canCompile(const std::string &kernel, const Settings &settings) const {
  CompileOptions compiled = source.compile;
  append_range(compiled.overrides, overridesOf({{kernel, settings}}));
  compiled.dump = Phase::Generate;
  Compilation made;
  return compile(compiled, made, nulls()) == Outcome::Done;
}

Error Tuner::restart() {
  incumbent = compileWith(best());
  if (!incumbent->code->isReady())
    return incumbent->code->whyNot();
  return incumbent->code->run(/*counts=*/false);
}

Error Tuner::start() {
  auto resolved = Target::resolve(source.compile.target);
  if (!resolved)
    return resolved.takeError();
  target = std::move(*resolved);
  for (const std::unique_ptr<Emitter> &emitter : createEmitters())
    if (emitter->makesCodeFor(target))
      emitters.push_back(std::string(emitter->name()));
  if (Error error = restart())
    return error;
  check.remember(incumbent->code->invocation());
  if (Error error = forecast.start(source.compile, target))
    return error;
  for (int run = 0; run < 5; ++run)
    if (Error error = incumbent->code->run(/*counts=*/true))
      return error;
  firstSeconds = median(incumbent->candidate.seconds);
  const Compilation &made = incumbent->code->compilation();
  for (const CompiledKernel &kernel : made.program.kernels) {
    mlir::func::FuncOp function = kernel.function;
    std::string name = function.getName().str();
    const Profile::Line *line = incumbent->candidate.lineOf(name);
    auto fingerprint = made.fingerprints.find(name);
    if (line && median(line->seconds) >= options.leastShare * firstSeconds && fingerprint != made.fingerprints.end())
      searches.push_back({name, fingerprint->second, *kernelKindOf(function), {}, {}});
  }
  return Error::success();
}

Changes Tuner::best() const {
  Changes settings;
  for (const KernelSearch &each : searches)
    settings[each.name] = each.best;
  return settings;
}

//===-------------------------------------------- rounds ------------------------------------------------------===//

/// Alternates calls of both candidates for `seconds`, after removing their earlier times.
Error Tuner::alternateCalls(Running &a, Running &b, double seconds) const {
  constexpr size_t fewest = 7;
  a.code->forgetTimes();
  b.code->forgetTimes();
  double sum = 0;
  while (a.candidate.seconds.size() < fewest || sum < seconds) {
    bool isOdd = a.candidate.seconds.size() % 2;
    for (Running *each : {isOdd ? &b : &a, isOdd ? &a : &b}) {
      if (Error error = each->code->run(/*counts=*/true))
        return error;
      sum += each->candidate.seconds.back();
    }
  }
  return Error::success();
}

/// For each kernel, the change with the shortest predicted time among those that it can have and that were not tried,
/// if there is one.
Changes Tuner::proposals() {
  Changes proposed;
  for (KernelSearch &each : searches) {
    auto open = each.open(incumbent->has[each.name], emitters, target, options.only);
    erase_if(open, [&](const Settings &settings) { return !forecast.canHave(each.name, settings); });
    if (!open.empty())
      proposed[each.name] = forecast.best(each.name, open, random);
  }
  return proposed;
}

/// The changes of the next round, which count as tried from now on. Changes that wait in `halves` do not, so a search
/// that is interrupted and resumed tries them.
Changes Tuner::takeNext() {
  Changes changes;
  if (halves.empty()) {
    changes = proposals();
  } else {
    changes = std::move(halves.back());
    halves.pop_back();
  }
  for (KernelSearch &each : searches)
    if (auto found = changes.find(each.name); found != changes.end())
      each.tried.insert(textOf(found->second));
  return changes;
}

/// Compiles the best settings with the changes, from which it removes changes that cannot be compiled. Null if none is
/// left, or if all kernels have the settings that they had.
std::unique_ptr<Tuner::Running> Tuner::compileChanged(Changes &proposed) {
  auto compileAll = [&] {
    Changes settings = best();
    for (const auto &[kernel, each] : proposed)
      settings[kernel] = each;
    return compileWith(settings);
  };
  std::unique_ptr<Running> changed = compileAll();
  if (!changed->code->isReady()) {
    std::erase_if(proposed, [&](const auto &each) { return !canCompile(each.first, each.second); });
    changed = compileAll();
  }
  return changed->code->isReady() && changed->has != incumbent->has ? std::move(changed) : nullptr;
}

/// Called if the first call with the changes has other results than the default's. The code may still be right: at a
/// discontinuity of a formula (a floor, the position of a maximum), rounding may fall on either side. A search must not
/// keep such changes all the same. Each half of several changes is tried in a round of its own; a single change is
/// rejected.
void Tuner::splitOrLeaveOut(const Changes &proposed, const std::string &problem) {
  if (proposed.size() > 1) {
    for (KernelSearch &each : searches)
      if (auto found = proposed.find(each.name); found != proposed.end())
        each.tried.erase(textOf(found->second));
    auto [first, second] = halvesOf(proposed);
    halves.push_back(std::move(second));
    halves.push_back(std::move(first));
    return;
  }
  std::string all;
  for (const Override &each : overridesOf(proposed))
    all += " --override " + textOf(each);
  wrong.push_back(problem + ", with" + all);
}

/// Makes those changes that were faster the best settings of their kernels.
Error Tuner::keepFaster(const Changes &proposed, std::unique_ptr<Running> changed) {
  size_t faster = 0;
  for (KernelSearch &each : searches) {
    auto found = proposed.find(each.name);
    if (found == proposed.end() ||
        certainGain(incumbent->candidate.lineOf(each.name), changed->candidate.lineOf(each.name)) == 1)
      continue;
    each.best = found->second;
    ++faster;
  }
  if (faster == proposed.size())
    incumbent = std::move(changed);
  return faster == 0 || faster == proposed.size() ? Error::success() : restart();
}

Expected<bool> Tuner::round() {
  if (rounds >= options.rounds)
    return false;
  Changes proposed = takeNext();
  if (proposed.empty())
    return false;
  ++rounds;
  std::unique_ptr<Running> changed = compileChanged(proposed);
  if (!changed)
    return true;
  if (Error error = changed->code->run(/*counts=*/false))
    return std::move(error);
  if (std::string problem = check.problemOf(changed->code->invocation()); !problem.empty()) {
    splitOrLeaveOut(proposed, problem);
    return true;
  }
  if (Error error = alternateCalls(*incumbent, *changed, roundSeconds))
    return std::move(error);
  if (Error error = keepFaster(proposed, std::move(changed)))
    return std::move(error);
  return true;
}

size_t Tuner::waiting() const {
  size_t count = 0;
  for (const Changes &each : halves)
    count += each.size();
  return count;
}

double Tuner::gainSoFar() const {
  return incumbent->candidate.seconds.empty() ? 1 : firstSeconds / median(incumbent->candidate.seconds);
}

//===-------------------------------------------- the end -----------------------------------------------------===//

Expected<TuningResult> Tuner::finish() {
  std::unique_ptr<Running> plain = compileWith({});
  if (Error error = plain->code->run(/*counts=*/false))
    return std::move(error);
  while (true) {
    if (Error error = restart())
      return std::move(error);
    if (Error error = alternateCalls(*plain, *incumbent, finalSeconds))
      return std::move(error);
    TuningResult result;
    result.defaultSeconds = median(plain->candidate.seconds);
    result.tunedSeconds = median(incumbent->candidate.seconds);
    bool isDropped = false;
    for (KernelSearch &each : searches) {
      if (each.best.empty())
        continue;
      double gain = certainGain(plain->candidate.lineOf(each.name), incumbent->candidate.lineOf(each.name));
      if (gain == 1) {
        each.best.clear();
        isDropped = true;
        continue;
      }
      result.names.push_back(each.name);
      result.entries.push_back({each.fingerprint, kernelKindName(each.kind).str(), target.cpu,
                                sizeClass(ArrayRef(source.compile.at).drop_back()), source.compile.at.back().second,
                                each.best, gain, median(incumbent->candidate.lineOf(each.name)->seconds)});
    }
    if (isDropped)
      continue;
    if (result.tunedSeconds <= result.defaultSeconds)
      return result;
    if (result.entries.empty()) // all code is the same
      return TuningResult{{}, {}, result.defaultSeconds, result.defaultSeconds};
    for (KernelSearch &each : searches)
      each.best.clear();
  }
}

} // namespace attnc
