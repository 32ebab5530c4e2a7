//===- FinalWeights.h - the results `weights` and `key_sums` of prefill attention ---------------------------------===//
//
// Both results are computed from final attention weights, after the weights of a block of keys are in a tile. The
// result `weights` has the weight of each query and key. It is stored block by block, and is cleared first, because a
// mask may skip blocks. For the result `key_sums`, the weights of all rows of the tile are added to the chunk's partial
// sums, one for each key (AttendKeySums.h). PrefillTile.cpp uses this class.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PrefillTiles.h"
#include "compiler/Codegen/CPU/Attend/Prefill/QueryResults.h"

namespace attnc {

/// The partial sums of a chunk in the shared scratch. The sum of key k is element first + k of `sums`, a flat memref of
/// f32; `first` is of type index. Both are null if `key_sums` is not a result.
struct KeySumPart {
  mlir::Value sums, first;
};

class FinalWeights : PrefillContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  /// `weights` is the tile of weights of a block, [key][query].
  FinalWeights(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries,
               const KeySumPart &keySums, Value weights);

  /// Emits stores of zeros for all keys, if `weights` is a result and the problem has a mask; otherwise nothing.
  void clear(QueryResults &results);
  /// Emits stores of the weights of a block, if `weights` is a result; otherwise nothing.
  void store(QueryResults &results, const KeyBlock &block);
  /// Emits the addition of the weights of a block to the partial sums. Requires that `key_sums` is a result.
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
