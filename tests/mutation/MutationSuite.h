//===- MutationSuite.h - mutation tests of a kernel ---------------------------------------------------------------===//
//
// A mutant is compiled and run in a process of its own, on every choice of operands and with the buffers next to
// inaccessible pages on either side. It is caught if a result differs from the oracle's, if it crashes or if it does
// not terminate. The target, and therefore the mutants, are the same on every machine.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Reference.h"
#include "tests/mutation/Mutation.h"
#include "tests/support/KernelRunner.h"
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

inline constexpr std::string_view mutationTarget = "x86-64-v3";

/// Operands for a comparison.
struct Choice {
  std::vector<HostArray> operands; ///< for the oracle
  std::vector<std::vector<int64_t>> resultShapes;
  std::vector<HostArray> given = {}; ///< for the kernel, if they differ (packed); else empty
};

struct Subject {
  std::string kernel;
  std::vector<Choice> choices;
  double tolerance;
};

/// Mutants of a kind that may survive because they do not change results.
struct Harmless {
  std::string_view kind;
  int most;
  std::string_view why;
};

enum Outcome { Survived = 0, Caught = 1, Invalid = 2 };

class MutationSuite {
public:
  explicit MutationSuite(Subject given);

  /// True if the original kernel agrees with the oracle.
  bool kernelAgrees();
  /// Mutates up to `most` sites of each kind, evenly spread. Expects that all mutants except the harmless ones are
  /// caught, and lists survivors.
  void expectCaught(int most, const std::vector<Harmless> &harmless);
  /// Expects that at least `share` of them are caught, and some of each kind.
  void expectCaught(int most, double share);

private:
  /// Outcomes of the mutants of one kind.
  struct Tally {
    int caught = 0, survived = 0;
    std::string survivors = ""; ///< one a line
  };
  Tally tally(std::string_view kind, int most);
  int sites(std::string_view kind);
  Outcome outcomeOf(const Mutation &mutation);
  std::string describe(const Mutation &mutation);
  bool agrees(KernelRunner &runner);

  Subject subject;
  std::unique_ptr<Emitter> emitter;
  std::vector<std::vector<reference::Array>> expected;
};

} // namespace attnc
