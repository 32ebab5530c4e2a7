//===- ValueSums.h - weighted sums of values in prefill attention -------------------------------------------------===//
//
//   Ot[v][q] = a[q] * Ot[v][q] + sum_k V[k][v] * Pt[k][q]          register tiles, V read as scalars from its tensor
//
// k is a key of the block, q a query, and v an element of a value vector. Ot is PrefillTiles::values, Pt are the
// weights in PrefillTiles::scores[0], and a are the corrections of earlier sums. If the sums of a register tile contain
// a NaN and the block may have dropped pairs, they are computed once more over the selected pairs alone: a dropped pair
// has the weight 0, and the product of 0 and an infinite or NaN value is NaN. ValueTiles.h emits the register tiles.
// PrefillTile.cpp uses this class.
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

  /// Emits Ot = 0; nothing if the value is not a result.
  void clear();
  /// Emits the report of out-of-range subscripts in the values of selected pairs; nothing if no subscript of the value
  /// comes from data. Requires PairOperands::load() of the block, and that block.allSelected is set.
  void check(const KeyBlock &block);
  /// Emits the multiplication of Ot with `corrections` and the addition of the block's weighted values. `corrections`
  /// has one vector for each vector of queries, or is empty: no correction. Requires that the value is a result, and
  /// that block.allSelected is set.
  void accumulate(const KeyBlock &block, ValueRange corrections);
  /// Emits stores of the value, if it is a result: Ot, multiplied with the rows' `factors`, a tile [query]; null:
  /// without factors. Called after the last block.
  void store(QueryResults &results, Value factors);

  /// The rows that store() stores, if their elements are contiguous and their number and distance are constant; else
  /// `flat` is null. `columns` is null: the rows have problem.values elements.
  StridedRows rowsOfResult(const QueryResults &results) const;

private:
  bool areRuns() const;
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
