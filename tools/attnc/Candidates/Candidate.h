//===- Candidate.h - a model compiled by one strategy -------------------------------------------------------------===//
#pragma once

#include "compiler/Schedule/Override.h"
#include "tools/attnc/Call/LoadedModel.h"
#include "tools/attnc/Call/Measurement.h"
#include "tools/attnc/Call/Oracle.h"
#include "tools/attnc/Candidates/Region.h"
#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include "tools/attnc/Options/SourceOptions.h"

namespace attnc {

/// Overrides of the compiler's choices, under a name.
struct NamedStrategy {
  std::string name, about; ///< `about`: a description for --help
  std::vector<Override> overrides;
  bool isOwn = false; ///< from the user's file: a failing compile is an error
};

/// The code and the measurements of one strategy for an entry point.
struct Candidate {
  NamedStrategy strategy;
  std::string problem = {};                  ///< reason why it cannot be called; empty if it can
  std::vector<std::string> remarks = {};     ///< warnings of the compile
  std::optional<size_t> sameAs = {};         ///< number of an earlier candidate with the same code
  std::vector<CandidateKernel> kernels = {}; ///< kernels of the region, in the order in which they first run
  std::string host = {};                     ///< the entry point as a text, if the region is all of it
  int64_t arenaBytes = 0;                    ///< arena of the entry point
  int64_t largestBytes = 0;                  ///< largest tensor between two kernels, at least one of the region
  std::vector<double> seconds = {};          ///< time of each call
  std::shared_ptr<Profile> profile = {};     ///< kernel times of the same calls; null before the first
  std::vector<Deviation> deviations = {};    ///< deviations from the oracle; empty if it is not compared

  bool isMeasured() const { return !seconds.empty(); }
  /// The times of a kernel; null if it did not run.
  const Profile::Line *lineOf(const std::string &kernel) const;
  /// The median over calls of the total time of the region's kernels.
  double kernelSeconds() const;
  double secondsOf(const CandidateKernel &kernel) const; ///< median over calls
  int64_t trafficBytes() const;                          ///< bytes that the region's kernels read and write in a call
  /// True if both have the same kernels in the same order, and the same host code.
  bool isSameCode(const Candidate &other) const;
  /// The deviation with the largest share of its limit; null without deviations.
  const Deviation *nearest(double tolerance) const;
  bool isWrong(double tolerance) const;
};

/// A candidate that can be called.
class RunningCandidate {
public:
  /// Compiles the model by the strategy, after the overrides of `source`. An error is stored in the candidate's
  /// `problem`.
  RunningCandidate(Candidate &candidate, const SourceOptions &source, const InvocationOptions &invocation);

  bool isReady() const { return call != nullptr; }
  /// The error if it is not ready, with the messages of the compile.
  llvm::Error whyNot() const;
  Invocation &invocation() { return *call; }
  const Compilation &compilation() const { return *made; }
  /// Fills the members of the candidate that describe its code in the region (`kernels`, `host`, `arenaBytes`,
  /// `largestBytes`). Finds the region among the candidate's kernels if it has not been found before.
  llvm::Error describe(Region &region);
  /// Calls the entry point once; if `counts`, the time is added to the candidate's.
  llvm::Error run(bool counts);
  void forgetTimes(); ///< removes the recorded times

private:
  Candidate &candidate;
  CompileOptions options;          ///< options of the compile
  Outcome outcome = Outcome::Done; ///< outcome of the compile
  std::string messages;            ///< messages of the compile
  std::unique_ptr<Compilation> made;
  std::optional<LoadedModel> loaded;
  std::unique_ptr<Invocation> call;
  const attn_executor *executor = nullptr; ///< of the runner; the profile forwards launches to it
};

} // namespace attnc
