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

/// A strategy: overrides of the compiler's choices (docs/strategies.md), under a name.
struct NamedStrategy {
  std::string name, about; ///< `about`: a description for --help and the page; for a user's file, its path
  std::vector<Override> overrides;
  bool isOwn = false; ///< the overrides are from the user's file, so a failing compile is an error
};

/// The description and the measurements of an entry point compiled by one strategy. A RunningCandidate fills the
/// members after `strategy`, except `sameAs`, `deviations` and CandidateKernel::isAsDefault, which the command sets.
struct Candidate {
  NamedStrategy strategy;
  std::string problem = {};                  ///< the reason why the candidate cannot be called; empty if it can
  std::vector<std::string> remarks = {};     ///< warnings of the compile
  std::optional<size_t> sameAs = {};         ///< number of an earlier candidate with the same code; null: none
  std::vector<CandidateKernel> kernels = {}; ///< kernels of the region, in the order in which they first run
  std::string host = {};                     ///< the entry point as MLIR text; empty unless the region is all of it
  int64_t arenaBytes = 0;                    ///< bytes of the entry point's arena
  int64_t largestBytes = 0;                  ///< largest tensor between two kernels of which one is in the region
  std::vector<double> seconds = {};          ///< wall-clock time of each counted call
  std::shared_ptr<Profile> profile = {};     ///< kernel times of the counted calls; null if it cannot be called
  std::vector<Deviation> deviations = {};    ///< from the oracle (Oracle.h); empty if they were not computed

  bool isMeasured() const { return !seconds.empty(); }
  /// The times of the kernel with this name; null if it did not run.
  const Profile::Line *lineOf(const std::string &kernel) const;
  /// The median over calls of the total time of the region's kernels. Requires isMeasured().
  double kernelSeconds() const;
  double secondsOf(const CandidateKernel &kernel) const; ///< median over calls of all launches; 0 if it did not run
  int64_t trafficBytes() const;                          ///< bytes that the region's kernels read and write in a call
  /// Whether both have kernels of the same code in the same order, and the same host code.
  bool isSameCode(const Candidate &other) const;
  /// The deviation with the largest share of its limit; null without deviations. `tolerance` is the factor c of
  /// Deviation::limit().
  const Deviation *nearest(double tolerance) const;
  bool isWrong(double tolerance) const; ///< a deviation exceeds its limit
};

/// A candidate that is compiled, linked and can be called. Requires a model for a processor.
class RunningCandidate {
public:
  /// Compiles the model of `source` by the overrides of `source` and then those of `candidate.strategy`, links it, and
  /// prepares calls of the entry point of `invocation`. Sets `candidate.remarks` if the compile succeeds; the first
  /// line of an error is stored in `candidate.problem`. `candidate` must outlive this object.
  RunningCandidate(Candidate &candidate, const SourceOptions &source, const InvocationOptions &invocation);

  bool isReady() const { return call != nullptr; } ///< no error; the functions below except whyNot() require it
  /// The error if the candidate is not ready. After a failed compile, report() prints all messages of the compile.
  llvm::Error whyNot() const;
  Invocation &invocation() { return *call; }
  const Compilation &compilation() const { return *made; }
  /// Fills the members of the candidate that describe its code in the region (`kernels`, `host`, `arenaBytes`,
  /// `largestBytes`). If `region` has not been found yet, finds it among this candidate's kernels, which must then be
  /// those of the default strategy; an error if no kernel matches. Called once.
  llvm::Error describe(Region &region);
  /// Calls the entry point once. If `counts`, adds the time to `seconds` and `profile` of the candidate.
  llvm::Error run(bool counts);
  void forgetTimes(); ///< clears `seconds` and `profile` of the candidate

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
