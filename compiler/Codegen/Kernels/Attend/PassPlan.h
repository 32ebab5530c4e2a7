//===- PassPlan.h - the passes over the keys that an attention kernel makes -----------------------------------===//
//
// A row of attention is computed by one or two passes over blocks of its keys:
//
//   Online               online softmax: scores, row sums and sums of values; the values are scaled at the end
//   Statistics, Apply    row maxima and row sums, if a result needs final weights; then sums of values by these weights
//   Materialise, Apply   all scores of the rows, if the normaliser reads whole rows; then sums of values
//   Apply                scores and sums of values in one pass, if each weight is final when its key is visited
//
// The plan follows from the kernel's results and from Normaliser::order(), which each file of Normaliser/ defines for
// its normaliser (Hard.cpp: Factor).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include <optional>

namespace attnc {

struct AttendProblem;

/// A pass over the blocks of keys.
enum class KeyPass {
  Online,      ///< scores, online softmax and sums of values in one pass
  Statistics,  ///< row maxima and row sums
  Materialise, ///< all scores of the rows, for a normaliser that reads whole rows
  Apply        ///< sums of values, by final weights
};

struct PassPlan {
  std::optional<KeyPass> first;   ///< Statistics or Materialise; null if one pass suffices
  KeyPass last = KeyPass::Online; ///< sums the values: Online or Apply
  /// An attention weight is multiplied with a factor of its row, which is known after the row's last key.
  bool hasFactors = false;
  /// The attention weights or their sums are results, or the weight formula is not linear.
  bool needsFinalWeights = false;
  /// The row sums start again before `last`: each weight depends on the sum over the keys before it.
  bool restartsSums = false;
  /// Sums w log2 w for the entropy, before the factor of a row is known or with final weights; null without entropy.
  std::optional<KeyPass> entropyPass;

  bool isOnline() const { return last == KeyPass::Online; }
  bool materialisesScores() const { return first == KeyPass::Materialise; }
  /// The first pass checks the subscripts of scores and finds the largest keys.
  bool isFirst(KeyPass pass) const { return pass == first.value_or(last); }
  bool computesScores(KeyPass pass) const { return pass != KeyPass::Apply || !materialisesScores(); }
  /// Whether the pass multiplies weights with the factors of their rows.
  bool scalesWeights(KeyPass pass) const { return pass == KeyPass::Apply && hasFactors; }
};

/// Plans the passes of a problem; `passes` is the last member that its reader fills.
PassPlan planPasses(const AttendProblem &problem);

/// Whether results of a row over disjoint sets of keys can be merged: each is a maximum, a row sum and sums of values.
/// No if weights must be final, if the kernel yields the entropy, the largest keys or no values, or if the normaliser
/// needs more of a row.
Verdict canMergePartials(const AttendProblem &problem);
/// Whether they can be merged, and the pass is Online.
Verdict canMergeOnline(const AttendProblem &problem);

} // namespace attnc
