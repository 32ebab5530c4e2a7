//===- MutationSuite.h - a kernel, what it is compared on, and its mutants ---------------------------------------===//
//
// A mutant is compiled and run in a process of its own, on every choice of operands and with the buffers against
// inaccessible pages on either side; it is caught where a result differs from the oracle's, where it crashes and where
// it does not end. The target is the same on every machine, so that the mutants are.
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

/// Operands to compare on.
struct Choice {
  std::vector<HostArray> operands; ///< as the oracle reads them
  std::vector<std::vector<int64_t>> resultShapes;
  std::vector<HostArray> given = {}; ///< as the kernel wants them, where that differs (packed); else empty
};

struct Subject {
  std::string kernel;
  std::vector<Choice> choices;
  double tolerance;
};

/// Mutants of a kind that may survive because they change no result.
struct Harmless {
  std::string_view kind;
  int most;
  std::string_view why;
};

enum Outcome { Survived = 0, Caught = 1, Invalid = 2 };

class MutationSuite {
public:
  explicit MutationSuite(Subject given);

  /// Whether the kernel itself, unchanged, agrees with the oracle.
  bool kernelAgrees();
  /// Up to `most` sites of each kind, evenly spread. All mutants but the harmless ones are to be caught; survivors are
  /// listed.
  void expectCaught(int most, const std::vector<Harmless> &harmless);
  /// At least `share` of them are to be caught, and some of each kind.
  void expectCaught(int most, double share);

private:
  /// What became of the mutants of one kind.
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
