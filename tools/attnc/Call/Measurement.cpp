#include "tools/attnc/Call/Measurement.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include <chrono>

using namespace llvm;

namespace attnc {

Expected<Measurement> measure(Invocation &call, Repetitions repetitions) {
  const attn_executor *executor = call.runner.context.executor;
  Profile profile(call.model, executor);
  call.runner.context.executor = profile.executor();
  scope_exit restored([&] { call.runner.context.executor = executor; });
  // The first run touches the arena's pages and is not counted.
  if (Error error = call.run())
    return std::move(error);
  profile.discardRun();
  std::vector<double> seconds;
  for (double sum = 0; int(seconds.size()) < repetitions.runs || sum < repetitions.seconds; sum += seconds.back()) {
    auto from = std::chrono::steady_clock::now();
    if (Error error = call.run())
      return std::move(error);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count());
    profile.endRun();
  }
  Measurement result{int(seconds.size()), median(seconds), {}};
  copy_if(profile.lines(), std::back_inserter(result.kernels),
          [](const Profile::Line &line) { return line.launches > 0; });
  return result;
}

} // namespace attnc
