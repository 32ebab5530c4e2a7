#include "tools/attnc/Tune/CandidateForecast.h"
#include "compiler/Codegen/AskedEmitter.h"
#include "compiler/Schedule/Schedule.h"
#include "compiler/Schedule/Strategy.h"
#include "tools/attnc/Messages.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>

using namespace mlir;

namespace attnc {

/// Of what can't be predicted: it is measured last.
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

double CandidateForecast::predict(const std::string &kernel, const Settings &settings) const {
  auto original = made->module->lookupSymbol<func::FuncOp>(kernel);
  // An autoscheduler searches itself, for longer than all other candidates take together.
  if (!original || !forecast->isCalled(original) || settings.contains("scheduler"))
    return never;
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(original.getLoc());
  auto changed = cast<func::FuncOp>(original->clone());
  scratch->push_back(changed);
  std::vector<Override> ofEmitter, ofSchedule;
  for (const auto &[key, value] : settings)
    (key == "emitter" ? ofEmitter : ofSchedule).push_back({kernel, key, value});
  auto asked = applyEmitters(*scratch, ofEmitter, target, emitters);
  llvm::Error error = asked ? applySchedule(*scratch, ofSchedule, target) : asked.takeError();
  if (error) {
    llvm::consumeError(std::move(error));
    return never;
  }
  for (const std::unique_ptr<Emitter> &emitter : emitters)
    if (emitter->makesCodeFor(target) && mayTake(*emitter, changed) && emitter->supports(changed, target))
      if (std::optional<Forecast> found = forecast->of(original, changed, *emitter))
        return found->seconds;
  return never;
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
