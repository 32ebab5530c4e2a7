//===- LargestKeys.h - the n keys with the largest scores of each row, and their weights ----------------------===//
//
// The largest scores so far are stored sorted, [rank][query], with their keys (PrefillTiles::Top). Each score is
// compared with the least of them, and few are inserted, after equal scores, whose keys are lower. A row with fewer
// selected keys than ranks has the key -1 and the weight 0 for the others.
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

  /// Makes all ranks empty. Emits nothing if neither keys nor weights are results.
  void clear();
  /// Inserts the scores of a block, PrefillTiles::scores[0], before they become weights. Requires that the kernel
  /// yields the largest keys or their weights.
  void insert(const KeyBlock &block);
  /// Stores the keys and their weights, if they are results. Called after the last pass, as weights need the row's
  /// sums.
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
