//===- FinalWeights.h - results computed from final weights: the weights and their sums by key ----------------===//
//
// The result `weights` is stored block by block, and cleared first if a mask may skip blocks. For the result
// `key_sums`, the rows' weights are added to the chunk's partial sums, one for each key (AttendKeySums.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PrefillTiles.h"
#include "compiler/Codegen/CPU/Attend/Prefill/QueryResults.h"

namespace attnc {

/// A chunk's partial sums in the shared scratch: that of key k is element first + k of the flat memref `sums`. Both are
/// null without `key_sums`.
struct KeySumPart {
  mlir::Value sums, first;
};

class FinalWeights : PrefillContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  FinalWeights(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries,
               const KeySumPart &keySums, Value weights);

  /// Stores zeros for all keys, if `weights` is a result and there is a mask; otherwise emits nothing.
  void clear(QueryResults &results);
  /// Stores the weights of a block, if `weights` is a result.
  void store(QueryResults &results, const KeyBlock &block);
  /// Adds the weights of a block. Requires `key_sums`.
  void addKeySums(const KeyBlock &block);

private:
  Value sumOfRows(Value key);

  TileAccess access;
  const PrefillBatch &batch;
  const QueryTile &queries;
  const KeySumPart &keySums;
  const Value weights; ///< a tile, [key][query]
};

} // namespace attnc
