//===- PairScores.h - score and mask formulas of a block of pairs ---------------------------------------------===//
//
//   St = score(products, ...), -inf where the mask drops the pair          one key and one vector of queries at a time
//
// A block in which the mask keeps every pair runs without masking. Where intervals cannot decide whether it keeps any
// pair, all pairs are tested before the products are computed (AttendMask.h).
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

  /// i1: whether the block keeps a pair; all pairs are tested where `unsure` holds.
  Value hasSelected(Value unsure, const KeyBlock &block);
  /// Turns the block's products into scores, as the normaliser reads them. Returns the rows' largest scores so far,
  /// [vector], if the normaliser uses them.
  Values compute(const KeyBlock &block);
  /// Reports out-of-range subscripts in the scores of selected pairs.
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
