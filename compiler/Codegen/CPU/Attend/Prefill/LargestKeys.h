//===- LargestKeys.h - the n keys with the largest scores of each row, and their weights ----------------------===//
//
// The largest scores so far are stored sorted, [rank][query]. Each score is compared with the least of them, and few
// are inserted. An entry comes after equal scores, whose keys are lower.
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

  void clear();
  /// Inserts the scores of a block.
  void insert(const KeyBlock &block);
  /// Stores the keys and their weights, as far as they are results.
  void store(QueryResults &results);

private:
  /// The entry of a rank, and where the new one comes before it.
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
  Values entryTiles; ///< of scores, keys, and rows of the materialised scores
};

} // namespace attnc
