//===- Candidate.h - a model compiled by one strategy -------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Compare/Strategies.h"
#include "tools/attnc/Explain/ExplainedModel.h"
#include "tools/attnc/LoadedModel.h"
#include "tools/attnc/Measurement.h"
#include "tools/attnc/Oracle.h"
#include "tools/attnc/SourceOptions.h"
#include <map>

namespace attnc {

struct Candidate {
  NamedStrategy strategy;
  std::string problem = {};                ///< why there is no code, or no call of it; empty: there is
  std::vector<std::string> remarks = {};   ///< what the compile said, though there is code
  std::optional<size_t> sameAs = {};       ///< the number of the candidate in front that is the same code
  std::map<std::string, int> kernels = {}; ///< how many of the entry point each emitter has
  int64_t arenaBytes = 0;
  int64_t largestBytes = 0;         ///< of a tensor between two kernels
  int64_t trafficBytes = 0;         ///< that kernels read and write in a call
  std::vector<double> seconds = {}; ///< of calls
  std::vector<Profile::Line> times = {};
  std::vector<Deviation> deviations = {}; ///< from the oracle's; none where nothing is checked

  bool isMeasured() const { return !seconds.empty(); }
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
  const std::string &objectText() const { return code; }
  Invocation &invocation() { return *call; }
  const Compilation &compilation() const { return *made; }
  /// Calls once; the time counts if `counts`.
  llvm::Error run(bool counts);
  void forgetTimes();

private:
  void describe(const CompileOptions &options, const std::string &entry);
  Candidate &candidate;
  Outcome outcome = Outcome::Done; ///< of the compile
  std::string messages;            ///< its
  std::unique_ptr<Compilation> made;
  std::optional<LoadedModel> loaded;
  std::unique_ptr<Invocation> call;
  const attn_executor *executor = nullptr; ///< of the runner, inside of the profile
  std::unique_ptr<Profile> profile;
  std::string code; ///< what the object computes, without its record
};

} // namespace attnc
