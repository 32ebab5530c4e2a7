//===- PrefillContext.h - per-kernel constants of the prefill schedule ----------------------------------------===//
//
// All parts of the prefill schedule (PrefillTile.h) use the same constants: the problem, its tile sizes, the target,
// and the builders of the phase's function. Each part derives from PrefillContext, whose fields are its members.
// PrefillTraits are properties of the problem, computed once.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/Nest/KernelFrame.h"
#include "compiler/Codegen/Nest/LoopBuilder.h"

namespace attnc {

/// A pass over the blocks of keys.
enum class PrefillPass {
  Online,      ///< scores, online softmax and sums of values in one pass
  Statistics,  ///< the rows' largest scores and sums
  Materialise, ///< all scores of the tile, for a normaliser that reads whole rows, and the largest keys
  Apply        ///< the sums of values, by final weights
};

struct PrefillTraits {
  explicit PrefillTraits(const AttendProblem &problem);

  /// All scores of a tile of queries are stored in scratch.
  bool materialisesScores;
  /// Register tiles of the product update the rows' maxima: the product is the score.
  bool keepsMaxima;
  /// A score is -inf where the mask drops the pair, and nowhere else.
  bool dropsByMaskAlone;
  /// A value, or a weight that is a result, may belong to a pair that is masked or has the score -inf.
  bool dropsPairs;
  /// The score reads elements of pairs, which are transposed where they are added.
  bool hasBias;
  /// The entropy is summed in the pass that applies weights, otherwise in the one before.
  bool hasFinalLogs;

  /// Whether the pass is the first one that computes scores.
  bool seesScores(PrefillPass pass) const { return (pass == PrefillPass::Apply) == appliesAtOnce; }
  /// Whether the pass sums w log2 w: before the factor of a row is known, or with final weights where there is none.
  bool carriesLogs(PrefillPass pass) const { return yieldsEntropy && (pass == PrefillPass::Apply) == hasFinalLogs; }

private:
  bool appliesAtOnce, yieldsEntropy;
};

struct PrefillContext {
  const AttendProblem &problem;
  const AttendSchedule &schedule;
  const Target &target;
  const PrefillTraits &traits;
  KernelFrame &frame;
  LoopBuilder &loops;
};

/// A block of keys, as a pass visits it.
struct KeyBlock {
  mlir::Value firstKey, count;
  mlir::Value isLast;            ///< i1: no block follows in this pass
  mlir::Value nextRow, nextKey;  ///< where the next block of pairs begins
  mlir::Value firstMaterialised; ///< the row of its first key in the materialised scores
  mlir::Value maskKeepsAll;      ///< i1; may be false where the mask keeps every pair
  mlir::Value allSelected = {};  ///< i1; may be false where neither the mask nor a score of -inf drops a pair
};

} // namespace attnc
