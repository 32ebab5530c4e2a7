#include "tools/attnc/Train/Divergence.h"
#include "tools/attnc/Train/FiniteWatch.h"
#include <cmath>
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

static std::string sentence(int64_t step, const FiniteWatch::Finding &finding) {
  const attn_kernel_info &kernel = *finding.kernel;
  return fmt::format("in step {} the first {} comes from kernel {}{} ({})", step, finding.isNan ? "NaN" : "infinity",
                     kernel.name, finding.launch > 1 ? fmt::format(", its launch {}", finding.launch) : "",
                     kernel.places);
}

Expected<std::string> findDivergence(const attn_model &model, const Trainer::Options &start, const TrainingData &data,
                                     BatchShape shape, int64_t last) {
  auto made = Trainer::create(model, start);
  if (!made)
    return made.takeError();
  Trainer &trainer = **made;
  if (std::string parameter = trainer.firstNotFinite(); !parameter.empty())
    return fmt::format("the values of {} are not finite from the start", parameter);
  FiniteWatch watch(model, trainer.executor());
  trainer.runOn(watch.executor());
  for (int64_t step = trainer.stepsDone(); step < last; ++step) {
    std::optional<std::string> cause;
    auto look = [&](double loss) {
      bool isGood = std::isfinite(loss) && trainer.firstNotFinite().empty();
      if (!isGood && watch.finding())
        cause = sentence(step + 1, *watch.finding());
      watch.endCall(isGood);
      return !cause;
    };
    auto taken = trainer.takeStep(data, shape, look);
    if (!taken)
      return taken.takeError();
    if (cause)
      return *cause;
  }
  return "the repeated steps computed finite numbers";
}

} // namespace attnc
