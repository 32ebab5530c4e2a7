//===- PairScores.h - score and mask formulas of a block in prefill attention -------------------------------------===//
//
//   St[k][q] = score(products, ...), where masked -inf        one key k and one vector of queries q at a time
//
// The scores are multiplied with Normaliser::scoreScale(). A pair is dropped if the mask is false or its score is -inf;
// its score then becomes Normaliser::droppedScore(). A block in which the mask keeps every pair is computed without
// masking. If interval analysis (AttendMask.h) cannot decide whether the mask keeps any pair of a block, all pairs are
// tested before the products are computed. PrefillTile.cpp uses this class.
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

  /// Emits the test of the mask for the block. Returns i1: whether the mask may keep a pair. If `unsure` (i1,
  /// AttendMask::Decision) is false at run time, the result is true without a test; otherwise all pairs are tested.
  /// Requires PairOperands::load() of the block.
  Value hasSelected(Value unsure, const KeyBlock &block);
  /// Emits code that turns the block's products, PrefillTiles::scores, into scores in the first of these tiles. If
  /// PrefillTraits::dropsPairs, it stores the flags of selected pairs, except, with PrefillTraits::keepsMaxima, in a
  /// block whose pairs the mask all keeps. Returns the rows' largest scores so far, this block included: one vector for
  /// each vector of queries. They are not stored in PrefillTiles::Rows::maxima. The list is empty if the normaliser
  /// does not use maxima. Requires the products (ScoreProduct::compute) and PairOperands::load() of the block. If
  /// PrefillTraits::hasBias, PrefillTiles::Rows::blockMaxima is overwritten.
  Values compute(const KeyBlock &block);
  /// Emits the report of out-of-range subscripts in the scores of pairs that the mask keeps; nothing if no subscript of
  /// the score comes from data. Requires PairOperands::load() of the block.
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
