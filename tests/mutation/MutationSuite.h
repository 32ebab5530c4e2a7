//===- MutationSuite.h - mutation tests of a kernel ---------------------------------------------------------------===//
//
// A mutant (Mutation.h) is compiled by the CPU emitter and run in a process of its own, on every choice of operands,
// with the buffers before and after an inaccessible page. The mutant is caught if a result differs from the oracle's,
// if the process crashes, or if it does not end within 20 seconds. The target, and therefore the mutants, are the same
// on every machine.
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
  std::vector<HostArray> operands; ///< for the oracle; all f32
  std::vector<std::vector<int64_t>> resultShapes;
  std::vector<HostArray> given = {}; ///< for the kernel, if they differ (packed weights); else empty
};

/// A kernel to mutate.
struct Subject {
  std::string kernel;          ///< MLIR text of one kernel function
  std::vector<Choice> choices; ///< each mutant runs on all of these
  double tolerance;            ///< of an element, relative to the largest magnitude of the result
};

/// Mutants of a kind that may survive because they do not change results.
struct Harmless {
  std::string_view kind;
  int most;             ///< largest number of survivors
  std::string_view why; ///< reason, for the message of a failure
};

/// Invalid: the mutant does not compile, and is not counted.
enum Outcome { Survived = 0, Caught = 1, Invalid = 2 };

class MutationSuite {
public:
  /// Interprets the kernel by the oracle on each choice; a failure fails the test.
  explicit MutationSuite(Subject given);

  /// Whether the original kernel agrees with the oracle.
  bool kernelAgrees();
  /// Mutates up to `most` sites of each kind, evenly spread. Fails the test, and lists survivors, unless all mutants
  /// except those of `harmless` are caught, and at least one is.
  void expectCaught(int most, const std::vector<Harmless> &harmless);
  /// The same, where at least the share `share` (0 to 1) of all mutants must be caught, and at least one of each kind.
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
  std::unique_ptr<Emitter> emitter;                    ///< of the original code
  std::vector<std::vector<reference::Array>> expected; ///< results of the oracle, for each choice
};

} // namespace attnc
