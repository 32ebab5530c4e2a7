//===- LargestKeys.h - the n keys with the largest scores of each row (top-k), and their weights ------------------===//
//
// The results `top` (the keys) and `top_weights` (their attention weights) of prefill attention have
// AttendProblem::top() ranks for each row. The tiles of PrefillTiles::Top have the largest scores so far, sorted,
// [rank][query], and their keys. Each score is compared with the least of them. Few scores are larger; these are
// inserted after equal scores, whose keys are lower; a NaN is never inserted. If fewer keys of a row are inserted than
// it has ranks, the remaining ranks have the key -1 and the weight 0. PrefillTile.cpp uses this class.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PrefillBatch.h"
#include "compiler/Codegen/CPU/Attend/Prefill/PrefillTiles.h"
#include "compiler/Codegen/CPU/Attend/Prefill/QueryResults.h"
#include "compiler/Codegen/CPU/Attend/Prefill/SelectedPairs.h"

namespace attnc {

class LargestKeys : PrefillContext {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  LargestKeys(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries,
              const SelectedPairs &selected, const PrefillTiles &tiles);

  /// Emits code that makes all ranks empty. Emits nothing if neither `top` nor `top_weights` is a result.
  void clear();
  /// Emits the insertion of the scores of a block, PrefillTiles::scores[0]. Called after the scores are computed and
  /// before they become weights, in the first pass only. Requires that `top` or `top_weights` is a result.
  void insert(const KeyBlock &block);
  /// Emits stores of the keys and of their weights, if they are results. Called after the last pass, because weights
  /// depend on the rows' sums.
  void store(QueryResults &results);

private:
  /// The entry of a rank, vectors of score, key and (if materialised) row; i1s: whether the new entry comes before it.
  struct Rank {
    Values entry;
    Value isAfter;
  };
  Values load(Value query, Value rank) const;
  void store(Value query, Value rank, ValueRange entry) const;
  Value selectedScore(const KeyBlock &block, Value query, Value key);
  Rank compare(ValueRange added, ValueRange entry) const;
  Values shift(ValueRange added, const Rank &here, const Rank &above) const;
  Values insertInRegisters(ValueRange before, ValueRange added) const;
  Values insertInTiles(Value query, ValueRange added) const;
  Value splatI32(Value index) const;
  Value weightOf(int64_t vector, Value rank, Value &sum);
  Value gatherMaterialised(int64_t vector, Value rows);

  TileAccess access;
  const PrefillBatch &batch;
  const QueryTile &queries;
  const SelectedPairs &selected;
  const PrefillTiles &tiles;
  Values entryTiles; ///< tiles of scores, keys, and (if scores are materialised) their rows
};

} // namespace attnc
