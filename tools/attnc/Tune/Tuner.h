//===- Tuner.h - local search for the schedules of a model's kernels ----------------------------------------------===//
//
// The search starts from the choices of the compiler (the default). In each round, every kernel with a significant time
// has one change of its best schedule so far: the untried one with the shortest predicted time. One compile contains
// all of these changes. Calls of this compile alternate with calls of the best schedules, and each kernel is timed. A
// change becomes the new best of its kernel if the results of the call agree with the default's, and if the kernel is
// faster by more than the variation of times. If the results do not agree, each half of the changes has a round of its
// own. In the end, calls of the default and of the best schedules alternate, and only kernels that are faster there are
// kept.
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
  double seconds = 60;           ///< duration of the search, which the caller of Tuner::round() observes
  uint64_t seed = 0;             ///< of the choice between changes with equal predicted times
  int rounds = 1000;             ///< largest number of rounds
  std::vector<std::string> only; ///< keys that may change; empty: all
  double leastShare = 0.005;     ///< share of a call's time below which a kernel is not tuned
};

struct TuningResult {
  std::vector<TuningEntry> entries;            ///< for the tuning database: one for each kernel with a confirmed gain
  std::vector<std::string> names;              ///< kernel of each entry
  double defaultSeconds = 0, tunedSeconds = 0; ///< median wall-clock times of the alternating calls
};

class Tuner {
public:
  /// `source` and `invocation` must outlive the Tuner. The last of the sizes of `source` (--at) must be `workers`, as
  /// takeSizes() sets it.
  Tuner(const SourceOptions &source, const InvocationOptions &invocation, TunerOptions options)
      : source(source), invocation(invocation), options(options), random(options.seed) {}

  /// Compiles and times the default, and finds the kernels to tune. Precedes the other functions. An error if the model
  /// cannot be compiled or called.
  llvm::Error start();
  /// The states of the tuned kernels; resumeSearch() may change them after start().
  std::vector<KernelSearch> &kernels() { return searches; }

  /// Runs one round. Returns false, and runs nothing, if nothing is left to try or after `options.rounds` rounds. True
  /// also for a round without timed calls, because its changes cannot be compiled, give the same code, or have wrong
  /// results. An error if a call or the compile of the best schedules fails.
  llvm::Expected<bool> round();
  /// Compares the best schedules with the default and returns the confirmed ones; clears `best` of the other kernels.
  /// Confirms none if a call with the schedules takes longer than one with the default. An error if a compile or a call
  /// fails.
  llvm::Expected<TuningResult> finish();

  int roundsDone() const { return rounds; }
  /// The rejected changes with wrong results, each as a sentence with the difference and the overrides.
  const std::vector<std::string> &problems() const { return wrong; }
  /// The number of changes that wait for another round, because the results of their round were wrong.
  size_t waiting() const;
  /// The time of a call with the default in start(), divided by the time with the best schedules in their last round; 1
  /// if they have not been timed since they changed.
  double gainSoFar() const;

private:
  /// A compile with overrides, ready to be called unless `code` has an error.
  struct Running {
    Candidate candidate;
    std::unique_ptr<RunningCandidate> code;
    std::map<std::string, Settings> has; ///< settings of each kernel, by name
  };
  std::unique_ptr<Running> compileWith(const Changes &overrides);
  Changes best() const; ///< the best overrides of all kernels
  bool canCompile(const std::string &kernel, const Settings &settings) const;
  Changes proposals();
  Changes takeNext();
  std::unique_ptr<Running> compileChanged(Changes &proposed);
  void splitOrLeaveOut(const Changes &proposed, const std::string &problem);
  llvm::Error keepFaster(const Changes &proposed, std::unique_ptr<Running> changed);
  llvm::Error alternateCalls(Running &a, Running &b, double seconds) const;
  llvm::Error restart(); ///< compiles `incumbent` with the best overrides, and calls it once

  const SourceOptions &source;
  const InvocationOptions &invocation;
  TunerOptions options;
  std::mt19937_64 random;
  Target target;
  std::vector<std::string> emitters; ///< names of the emitters for the target
  std::vector<KernelSearch> searches;
  CandidateForecast forecast;
  ResultCheck check;
  std::vector<Changes> halves;        ///< halves of the changes of rounds with wrong results, to be tried next
  std::vector<std::string> wrong;     ///< see problems()
  std::unique_ptr<Running> incumbent; ///< the compile with the best overrides
  double firstSeconds = 0;            ///< median time of a call with the default
  int rounds = 0;
};

} // namespace attnc
