//===- PrefillContext.h - per-kernel constants of the prefill algorithm ---------------------------------------===//
//
// All parts of the prefill algorithm (PrefillTile.h) use the same constants: the problem, its tile sizes, the target,
// and the builders of the phase's function. Each part derives from PrefillContext, whose fields are its members.
// PrefillTraits are properties of the problem, computed once.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/Nest/KernelFrame.h"
#include "compiler/Codegen/Nest/LoopBuilder.h"

namespace attnc {

struct PrefillTraits {
  explicit PrefillTraits(const AttendProblem &problem);

  /// Register tiles of the product update the rows' maxima: the product is the score.
  bool keepsMaxima;
  /// A score is -inf where the mask drops the pair, and nowhere else.
  bool dropsByMaskAlone;
  /// A value, or a weight that is a result, may belong to a pair that is masked or has the score -inf.
  bool dropsPairs;
  /// The score reads elements of pairs, which are transposed where they are added.
  bool hasBias;
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
