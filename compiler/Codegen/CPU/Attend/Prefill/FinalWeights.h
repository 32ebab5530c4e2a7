//===- FinalWeights.h - results made of final weights: the weights and their sums by key ----------------------===//
//
// `weights` is stored block by block, and cleared first where a mask may skip blocks. `key_sums` adds the rows' weights
// to the chunk's partial sums, one for each key (AttendKeySums.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PrefillTiles.h"
#include "compiler/Codegen/CPU/Attend/Prefill/QueryResults.h"

namespace attnc {

/// A chunk's partial sums by key in the shared scratch, from `first` on; null without `key_sums`.
struct KeySumPart {
  mlir::Value sums, first;
};

class FinalWeights : PrefillContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  FinalWeights(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries,
               const KeySumPart &keySums, Value weights);

  void clear(QueryResults &results);
  void store(QueryResults &results, const KeyBlock &block);
  void addKeySums(const KeyBlock &block);

private:
  Value sumOfRows(Value key);

  TileAccess access;
  const PrefillBatch &batch;
  const QueryTile &queries;
  const KeySumPart &keySums;
  const Value weights; ///< a tile
};

} // namespace attnc
