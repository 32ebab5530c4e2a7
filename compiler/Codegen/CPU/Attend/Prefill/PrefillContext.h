//===- PrefillContext.h - shared state of the code generation of prefill attention --------------------------------===//
//
// The prefill algorithm (PrefillTile.h) is emitted by several classes. They derive from PrefillContext and so have its
// fields as members: the problem, its tile sizes, the target, properties of the problem (PrefillTraits), and the
// builders of the phase's function. This header also describes a block of keys. AttendPrefill creates the context.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

/// Properties of a problem, computed once. A pair of a query and a key is dropped if the mask is false for it or its
/// score is -inf; otherwise it is selected.
struct PrefillTraits {
  explicit PrefillTraits(const AttendProblem &problem);

  /// Whether the register tiles of the product update the rows' maxima (PrefillTiles::Rows::blockMaxima): the score is
  /// the product, and the normaliser uses maxima.
  bool keepsMaxima;
  /// Whether no pair of a block is dropped if the mask is true for all its pairs. This holds if the normaliser uses
  /// maxima and the score is a product or bounded. A product that overflows to -inf then counts as selected.
  bool dropsByMaskAlone;
  /// Whether pairs may be dropped and a result depends on which: the value, the weights or their sums, or the largest
  /// keys. The flags of selected pairs are then stored (SelectedPairs.h).
  bool dropsPairs;
  /// Whether the score reads a bias: an element for each pair that is transposed where it is added
  /// (PairExtract::isBias).
  bool hasBias;
};

/// Constants of one phase. AttendPrefill owns `traits`, `frame` and `loops`; its caller owns the other objects.
struct PrefillContext {
  const AttendProblem &problem;
  const AttendSchedule &schedule;
  const Target &target;
  const PrefillTraits &traits;
  KernelFrame &frame;
  FlatBuilder &loops;
};

/// A block of keys, as a pass over the keys (PassPlan.h) visits it. Keys and rows are numbered in the batch, or in its
/// residue class (PrefillBatch.h). Values are of type index, unless a comment states i1.
struct KeyBlock {
  mlir::Value firstKey, count; ///< the block has keys firstKey .. firstKey + count - 1; count <= tileKv
  mlir::Value isLast;          ///< i1: whether no block follows in this pass
  /// The first row and the first key of the pairs whose operands (PairOperands) are prefetched during this block. If it
  /// is the last block, they are those of the tile of queries before this one, and nextRow may be negative.
  mlir::Value nextRow, nextKey;
  mlir::Value firstMaterialised; ///< the row of the first key in PrefillTiles::materialised; 0 if that is not used
  mlir::Value maskKeepsAll;      ///< i1: if true, the mask drops no pair; false permits both
  mlir::Value allSelected = {};  ///< i1: if true, no pair is dropped; false permits both. Null until the scores are
                                 ///< computed
};

} // namespace attnc
