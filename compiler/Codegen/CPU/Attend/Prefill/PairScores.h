//===- PairScores.h - score and mask formulas of a block of pairs ---------------------------------------------===//
//
//   St = score(products, ...), where masked -inf        one key and one vector of queries at a time
//
// times Normaliser::scoreScale. Dropped pairs get the normaliser's droppedScore, if this is not -inf. A block in which
// the mask keeps every pair runs without masking. If intervals cannot decide whether it keeps any pair, all pairs are
// tested before the products are computed (AttendMask.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PairOperands.h"
#include "compiler/Codegen/CPU/Attend/Prefill/PrefillTiles.h"
#include "compiler/Codegen/CPU/Attend/Prefill/SelectedPairs.h"

namespace attnc {

class PairScores : PrefillContext {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  PairScores(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries, PairOperands &pairs,
             const SelectedPairs &selected, const PrefillTiles &tiles);

  /// i1: whether the mask may keep a pair of the block: true without tests if `unsure` is false at run time; otherwise
  /// all pairs are tested. Requires PairOperands::load().
  Value hasSelected(Value unsure, const KeyBlock &block);
  /// Turns the block's products, PrefillTiles::scores, into scores in the first tile; stores the flags of selected
  /// pairs if PrefillTraits::dropsPairs and some may be dropped. Returns the rows' largest scores so far, this block
  /// included, [vector] of vectors, and does not store them; empty if the normaliser does not use them.
  Values compute(const KeyBlock &block);
  /// Reports out-of-range subscripts in the scores of pairs that the mask keeps.
  void check(const KeyBlock &block);

private:
  Value testPairs(const KeyBlock &block);
  Value scoreOf(RegionVectoriser &pair, const KeyBlock &block, Value query, Value key, bool masked);
  Values computeBy(const KeyBlock &block, bool masked);
  Values computeBiased(const KeyBlock &block, bool masked);
  bool usesMaximum() const { return problem.normaliser->usesMaximum(); }

  TileAccess access;
  const PrefillBatch &batch;
  const QueryTile &queries;
  PairOperands &pairs;
  const SelectedPairs &selected;
  const PrefillTiles &tiles;
};

} // namespace attnc
