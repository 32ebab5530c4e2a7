//===- Tuner.h - searches the schedules of a model's kernels ------------------------------------------------------===//
//
// A neighbourhood search from what the compiler decides. In each round every kernel that takes time gets one change of
// its best schedule so far, the one that is predicted to be best; one compile has all of these changes, and its calls
// and those of the best take turns, timed kernel by kernel. A change that is faster by more than what times vary is the
// new best, where a call has the results that the default has. In the end the default and the best take turns, and only
// kernels that are faster there are kept.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Schedule/TuningDatabase.h"
#include "tools/attnc/Candidates/Candidate.h"
#include "tools/attnc/Tune/CandidateForecast.h"
#include "tools/attnc/Tune/ResultCheck.h"
#include "tools/attnc/Tune/Search.h"

namespace attnc {

struct TunerOptions {
  double seconds = 60; ///< of searching
  uint64_t seed = 0;
  int rounds = 1000; ///< at most
  std::vector<std::string> only; ///< keys that are changed, all where it is empty
  double leastShare = 0.005;     ///< of a call's time: kernels that take less are left as they are
};

struct TuningResult {
  std::vector<TuningEntry> entries;
  std::vector<std::string> names;              ///< of the kernels, as the model has them
  double defaultSeconds = 0, tunedSeconds = 0; ///< of a call, in turns
};

class Tuner {
public:
  Tuner(const SourceOptions &source, const InvocationOptions &invocation, TunerOptions options)
      : source(source), invocation(invocation), options(options), random(options.seed) {}

  /// Compiles the default, and finds its kernels.
  llvm::Error start();
  std::vector<KernelSearch> &kernels() { return searches; }

  /// One round; false where nothing is left to try. `rounds` counts them.
  llvm::Expected<bool> round();
  /// What holds in the end.
  llvm::Expected<TuningResult> finish();

  int roundsDone() const { return rounds; }
  /// Of each change that was left out: what was wrong with the results, and the change.
  const std::vector<std::string> &problems() const { return wrong; }
  /// Changes of rounds whose results were others, which wait for a round of their own.
  size_t waiting() const;
  double gainSoFar() const; ///< of the call, as far as rounds have shown

private:
  struct Running {
    Candidate candidate;
    std::unique_ptr<RunningCandidate> code;
    std::map<std::string, Settings> has; ///< what each kernel has, by name
  };
  std::unique_ptr<Running> compileWith(const Changes &overrides);
  Changes best() const;
  bool canCompile(const std::string &kernel, const Settings &settings) const;
  Changes proposals();
  Changes takeNext();
  std::unique_ptr<Running> compileChanged(Changes &proposed);
  void splitOrLeaveOut(const Changes &proposed, const std::string &problem);
  llvm::Error keepFaster(const Changes &proposed, std::unique_ptr<Running> changed);
  llvm::Error takeTurns(Running &a, Running &b, double seconds) const;
  llvm::Error restart();

  const SourceOptions &source;
  const InvocationOptions &invocation;
  TunerOptions options;
  std::mt19937_64 random;
  Target target;
  std::vector<std::string> emitters;
  std::vector<KernelSearch> searches;
  CandidateForecast forecast;
  ResultCheck check;
  std::vector<Changes> halves; ///< of rounds whose results were others, to be tried next
  std::vector<std::string> wrong;
  std::unique_ptr<Running> incumbent;
  double firstSeconds = 0;
  int rounds = 0;
};

} // namespace attnc
