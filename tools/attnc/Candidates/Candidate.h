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

struct NamedStrategy {
  std::string name, about;
  std::vector<Override> overrides;
  bool isOwn = false; ///< a person's file: that it does not compile is an error
};

struct Candidate {
  NamedStrategy strategy;
  std::string problem = {};                  ///< why there is no code, or no call of it; empty: there is
  std::vector<std::string> remarks = {};     ///< what the compile said, though there is code
  std::optional<size_t> sameAs = {};         ///< the number of the candidate in front that is the same code
  std::vector<CandidateKernel> kernels = {}; ///< of the region, in the order in which they first run
  std::string host = {};                     ///< how all of the entry point calls kernels; empty of a region
  int64_t arenaBytes = 0;                    ///< of the entry point
  int64_t largestBytes = 0;                  ///< of a tensor between two kernels, one of them of the region
  std::vector<double> seconds = {};          ///< of calls
  std::shared_ptr<Profile> profile = {};     ///< of the same calls; null before the first
  std::vector<Deviation> deviations = {};    ///< from the oracle's; none where nothing is checked

  bool isMeasured() const { return !seconds.empty(); }
  /// How long a kernel took; null where it did not run.
  const Profile::Line *lineOf(const std::string &kernel) const;
  /// What the kernels of the region take of a call: the median of their sum.
  double kernelSeconds() const;
  double secondsOf(const CandidateKernel &kernel) const; ///< of a call
  int64_t trafficBytes() const;                          ///< that they read and write in a call
  /// Whether the other one has the same kernels, called alike.
  bool isSameCode(const Candidate &other) const;
  /// The deviation that comes nearest to what is allowed, or goes furthest beyond; null where there is none.
  const Deviation *nearest(double tolerance) const;
  bool isWrong(double tolerance) const;
};

/// A candidate that can be called.
class RunningCandidate {
public:
  /// Compiles the model by the strategy, beside the overrides that `source` has. What goes wrong is the candidate's
  /// problem.
  RunningCandidate(Candidate &candidate, const SourceOptions &source, const InvocationOptions &invocation);

  bool isReady() const { return call != nullptr; }
  /// Why it is not, as the compile said it.
  llvm::Error whyNot() const;
  Invocation &invocation() { return *call; }
  const Compilation &compilation() const { return *made; }
  /// Says what the candidate's code is, of the region; one that is not known yet is found among the kernels.
  llvm::Error describe(Region &region);
  /// Calls once; the time counts if `counts`.
  llvm::Error run(bool counts);
  void forgetTimes();

private:
  Candidate &candidate;
  CompileOptions options;          ///< it was compiled by
  Outcome outcome = Outcome::Done; ///< of the compile
  std::string messages;            ///< its
  std::unique_ptr<Compilation> made;
  std::optional<LoadedModel> loaded;
  std::unique_ptr<Invocation> call;
  const attn_executor *executor = nullptr; ///< of the runner, inside of the profile
};

} // namespace attnc
