//===- Tuner.h - local search for the schedules of a model's kernels ----------------------------------------------===//
//
// The search starts from the choices of the compiler. In each round, every kernel with a significant time has one
// change of its best schedule so far, the one with the shortest predicted time. One compile contains all of these
// changes. Its calls alternate with calls of the best schedules, and each kernel is timed. A change becomes the new
// best if the results of the call are those of the default, and if the kernel is faster by more than the variation of
// times. In the end, calls of the default and of the best schedules alternate, and only kernels that are faster there
// are kept.
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
  double seconds = 60; ///< duration of the search
  uint64_t seed = 0;
  int rounds = 1000;             ///< largest number of rounds
  std::vector<std::string> only; ///< keys that may change; empty: all
  double leastShare = 0.005;     ///< share of a call's time below which a kernel is not tuned
};

struct TuningResult {
  std::vector<TuningEntry> entries;
  std::vector<std::string> names;              ///< kernel of each entry
  double defaultSeconds = 0, tunedSeconds = 0; ///< median of alternating calls
};

class Tuner {
public:
  Tuner(const SourceOptions &source, const InvocationOptions &invocation, TunerOptions options)
      : source(source), invocation(invocation), options(options), random(options.seed) {}

  /// Compiles the default, and finds its kernels.
  llvm::Error start();
  std::vector<KernelSearch> &kernels() { return searches; }

  /// Runs one round; false if nothing is left to try, or after `rounds` rounds.
  llvm::Expected<bool> round();
  /// Compares the best schedules with the default and returns the confirmed ones.
  llvm::Expected<TuningResult> finish();

  int roundsDone() const { return rounds; }
  /// The rejected changes, each with the error of its results.
  const std::vector<std::string> &problems() const { return wrong; }
  /// The number of changes that wait for another round, because the results of their round had an error.
  size_t waiting() const;
  double gainSoFar() const; ///< speedup of the call over the default

private:
  struct Running {
    Candidate candidate;
    std::unique_ptr<RunningCandidate> code;
    std::map<std::string, Settings> has; ///< settings of each kernel, by name
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
  std::vector<Changes> halves; ///< halves of the changes of rounds with wrong results, to be tried next
  std::vector<std::string> wrong;
  std::unique_ptr<Running> incumbent;
  double firstSeconds = 0;
  int rounds = 0;
};

} // namespace attnc
