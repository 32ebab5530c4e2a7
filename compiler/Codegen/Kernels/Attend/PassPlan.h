//===- PassPlan.h - the passes over the keys that an attention kernel makes ---------------------------------------===//
//
// A row of attention (one query with all its keys) is computed by one or two passes over blocks of its keys:
//
//   Online               online softmax: scores, row sums and sums of values; the values are scaled at the end
//   Statistics, Apply    row maxima and row sums, if a result needs final weights; then sums of values by these weights
//   Materialise, Apply   all scores of the rows, if the normaliser reads whole rows; then sums of values
//   Apply                scores and sums of values in one pass, if each weight is final when its key is visited
//
// The plan follows from the kernel's results and from Normaliser::order() (Normaliser.h): AllScores needs Materialise,
// AtOnce needs Apply alone, and Factor is computed Online, or by Statistics and Apply. The emitters' algorithms for
// processors and devices follow the plan.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include <optional>

namespace attnc {

struct AttendProblem;

/// A pass over the blocks of keys.
enum class KeyPass {
  Online,      ///< scores, online softmax and sums of values
  Statistics,  ///< scores, row maxima and row sums
  Materialise, ///< all scores of the rows, for a normaliser that reads whole rows
  Apply        ///< sums of values by final weights; also scores, unless they are materialised
};

struct PassPlan {
  std::optional<KeyPass> first;   ///< Statistics or Materialise; null if one pass suffices
  KeyPass last = KeyPass::Online; ///< the pass that sums the values: Online or Apply
  /// Each attention weight is the product of a number and a factor of its row, which is known after the last key.
  bool hasFactors = false;
  /// The statistic `weights` or `key_sums` is a result, or the weight formula is not linear.
  bool needsFinalWeights = false;
  /// The row sums start again before `last`, even if it is the only pass, because each weight depends on the sum over
  /// the keys before it.
  bool restartsSums = false;
  /// The pass that sums w log2 w over the weights w of a row, for the entropy: over weights before their factor with
  /// Normaliser::Order::Factor, otherwise over final weights. Null if the entropy is no result.
  std::optional<KeyPass> entropyPass;

  bool isOnline() const { return last == KeyPass::Online; }
  bool materialisesScores() const { return first == KeyPass::Materialise; }
  /// Whether `pass` is the first or the only one. This pass checks the subscripts of scores and finds the largest keys.
  bool isFirst(KeyPass pass) const { return pass == first.value_or(last); }
  bool computesScores(KeyPass pass) const { return pass != KeyPass::Apply || !materialisesScores(); }
  /// Whether `pass` multiplies weights by the factors of their rows.
  bool scalesWeights(KeyPass pass) const { return pass == KeyPass::Apply && hasFactors; }
};

/// Plans the passes of a problem, all of whose members but `passes` are set; readAttendOp() calls it last.
PassPlan planPasses(const AttendProblem &problem);

/// Whether partial results of a row, over disjoint sets of keys, can be merged from a maximum, a row sum and sums of
/// values (split-KV). No, with the reason, if weights must be final, if the kernel returns the entropy, the largest
/// keys or no sums of values, or if the normaliser needs more of a row.
Verdict canMergePartials(const AttendProblem &problem);
/// Whether canMergePartials() is yes and the plan is one Online pass.
Verdict canMergeOnline(const AttendProblem &problem);

} // namespace attnc
