//===- ValueSums.h - sums of values by weights ----------------------------------------------------------------===//
//
//   Ot[v][q] = a * Ot + sum_k V[k][v] * Pt[k][q]          register tiles, V read as scalars from its tensor
//
// Ot is PrefillTiles::values, Pt are the weights in PrefillTiles::scores[0], a the corrections. A tile of sums with a
// NaN is computed once more over the selected pairs alone, because the product of a zero weight and an infinite or NaN
// value of a dropped pair is NaN.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PairOperands.h"
#include "compiler/Codegen/CPU/Attend/Prefill/PrefillTiles.h"
#include "compiler/Codegen/CPU/Attend/Prefill/QueryResults.h"
#include "compiler/Codegen/CPU/Attend/Prefill/SelectedPairs.h"
#include "compiler/Codegen/CPU/Attend/Prefill/ValueTiles.h"

namespace attnc {

class ValueSums : PrefillContext {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  ValueSums(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries, PairOperands &pairs,
            const SelectedPairs &selected, const PrefillTiles &tiles);

  /// Ot = 0. Emits nothing if no value is summed.
  void clear();
  /// Reports out-of-range subscripts in the values of selected pairs.
  void check(const KeyBlock &block);
  /// Multiplies the sums with `corrections`, [vector] of vectors or empty, and adds the block's weighted values.
  /// Requires that values are summed.
  void accumulate(const KeyBlock &block, ValueRange corrections);
  /// Stores the value, if it is a result, multiplied with the rows' `factors` (a tile, [query]; null: none).
  void store(QueryResults &results, Value factors);

private:
  mlir::tensor::ExtractOp stridedValue() const;
  StridedRows rowsOf(mlir::tensor::ExtractOp extract, Value firstKey);
  ValueSource sourceOf(const KeyBlock &block);
  void bindValueIndices(RegionVectoriser &to, ValueRange indices);

  TileAccess access;
  const PrefillBatch &batch;
  const QueryTile &queries;
  PairOperands &pairs;
  const SelectedPairs &selected;
  const Value sums, weights; ///< tiles
};

} // namespace attnc
