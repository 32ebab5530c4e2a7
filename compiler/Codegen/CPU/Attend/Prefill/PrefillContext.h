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
#include "compiler/Codegen/Nest/FlatBuilder.h"

namespace attnc {

/// A pair of a query and a key is dropped if the mask is false for it or its score is -inf; otherwise it is selected.
struct PrefillTraits {
  explicit PrefillTraits(const AttendProblem &problem);

  /// Register tiles of the product update the rows' maxima: the product is the score, and the normaliser uses maxima.
  bool keepsMaxima;
  /// No pair of a block is dropped if the mask is true for all: the score is a product or bounded, so it is not -inf
  /// unless a product overflows, and the normaliser uses maxima.
  bool dropsByMaskAlone;
  /// Pairs may be dropped, and a result (a value, a weight or the largest keys) depends on which. Flags are stored.
  bool dropsPairs;
  /// The score reads an element for each pair that is transposed where it is added (PairExtract::isBias).
  bool hasBias;
};

struct PrefillContext {
  const AttendProblem &problem;
  const AttendSchedule &schedule;
  const Target &target;
  const PrefillTraits &traits;
  KernelFrame &frame;
  FlatBuilder &loops;
};

/// A block of keys, as a pass visits it. Keys are numbered in the batch, or in its residue class (PrefillBatch.h).
struct KeyBlock {
  mlir::Value firstKey, count;   ///< its keys are firstKey .. firstKey + count - 1; count <= tileKv
  mlir::Value isLast;            ///< i1: no block follows in this pass
  mlir::Value nextRow, nextKey;  ///< the first row and key of the block of pairs that is prefetched
  mlir::Value firstMaterialised; ///< the row of its first key in PrefillTiles::materialised; 0 if that is not used
  mlir::Value maskKeepsAll;      ///< i1: if true, the mask drops no pair; false is always correct
  mlir::Value allSelected = {};  ///< i1: if true, no pair is dropped; false is always correct. Null before weights
};

} // namespace attnc
