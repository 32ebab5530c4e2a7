#include "tools/attnc/Tune/CandidateForecast.h"
#include "compiler/Codegen/Interface/RequestedEmitter.h"
#include "compiler/Emitters/Emitters.h"
#include "compiler/Schedule/Schedule.h"
#include "compiler/Schedule/Strategy.h"
#include "tools/attnc/Messages/Messages.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>

using namespace mlir;

namespace attnc {

/// The time of candidates without a prediction, which are measured last.
static constexpr double never = std::numeric_limits<double>::infinity();

llvm::Error CandidateForecast::start(CompileOptions options, const Target &own) {
  target = own;
  emitters = createEmitters();
  made = std::make_unique<Compilation>();
  options.dump = Phase::Narrow;
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  if (Outcome outcome = compile(options, *made, stream); outcome != Outcome::Done)
    return compileFailure(messages, static_cast<ExitCode>(outcome));
  made->dump.clear();
  forecast = std::make_unique<KernelForecast>(*made->module, target, defaultMachine(target.f32Lanes), options.at);
  return llvm::Error::success();
}

std::optional<CandidateForecast::Changed> CandidateForecast::change(func::FuncOp original,
                                                                    const Settings &settings) const {
  Changed changed = {ModuleOp::create(original.getLoc()), cast<func::FuncOp>(original->clone()), nullptr};
  changed.module->push_back(changed.kernel);
  std::string kernel = original.getName().str();
  std::vector<Override> ofEmitter, ofSchedule;
  for (const auto &[key, value] : settings)
    (key == emitterKey ? ofEmitter : ofSchedule).push_back({kernel, key, value});
  auto asked = applyEmitters(*changed.module, ofEmitter, target, emitters);
  if (llvm::Error error = asked ? applySchedule(*changed.module, ofSchedule, target) : asked.takeError()) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  for (const std::unique_ptr<Emitter> &emitter : emitters)
    if (emitter->makesCodeFor(target) && mayTake(*emitter, changed.kernel) &&
        emitter->supports(changed.kernel, target)) {
      changed.emitter = emitter.get();
      return changed;
    }
  return std::nullopt;
}

bool CandidateForecast::canHave(const std::string &kernel, const Settings &settings) const {
  auto original = made->module->lookupSymbol<func::FuncOp>(kernel);
  return !original || change(original, settings);
}

double CandidateForecast::predict(const std::string &kernel, const Settings &settings) const {
  auto original = made->module->lookupSymbol<func::FuncOp>(kernel);
  if (!original || !forecast->isCalled(original))
    return never;
  std::optional<Changed> candidate = change(original, settings);
  std::optional<double> found;
  if (candidate)
    found = forecast->secondsOf(original, candidate->kernel, *candidate->emitter);
  return found.value_or(never);
}

double CandidateForecast::secondsOf(const std::string &kernel, const Settings &settings) {
  auto [found, isNew] = known.try_emplace({kernel, textOf(settings)}, never);
  if (isNew)
    found->second = predict(kernel, settings);
  return found->second;
}

const Settings &CandidateForecast::best(const std::string &kernel, llvm::ArrayRef<Settings> open,
                                        std::mt19937_64 &random) {
  size_t first = random() % open.size(), best = first;
  for (size_t number = 1; number < open.size(); ++number)
    if (size_t each = (first + number) % open.size(); secondsOf(kernel, open[each]) < secondsOf(kernel, open[best]))
      best = each;
  return open[best];
}

} // namespace attnc
