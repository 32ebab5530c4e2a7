//===- QueryTile.h - a block of queries, in vectors -----------------------------------------------------------===//
//
// Queries are in the lanes: vector v holds queries firstRow + v * lanes and those that follow. Under a causal mask, or
// any other mask that determines the last key of a row from the row's index, each vector has an end: from this key on,
// all of its rows are masked, and the products omit the vector. The diagonal is therefore computed in steps of a
// vector.
//
// Rows are numbered in the batch, or in its residue class (PrefillBatch.h). A `query` is a row of this tile, from 0 on.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PrefillBatch.h"
#include "compiler/Codegen/Nest/StridedRows.h"

namespace attnc {

class QueryTile : PrefillContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  /// Tile `number` of `part` (AttendSchedule.h), of tileQ() rows; the last one may have fewer.
  QueryTile(const PrefillContext &context, const PrefillBatch &batch, const AttendPart &part, Value number);
  /// Binds the rows in `vectors`, prepares the mask for them, and finds the ends of their keys. Called once.
  void bind(AttendMask &mask);

  /// The formulas of the vector of rows that begins with `query`; rows that do not exist are inactive lanes.
  RegionVectoriser bindVector(Value query) const;
  /// [lane]: the formulas of one of these rows, the same in all lanes; for a row that does not exist, the last one.
  std::vector<RegionVectoriser> bindLanes(Value query) const;
  /// Whether consecutive rows differ by 1 in one index.
  bool areStrided() const { return problem.rowDims.size() == 1 && !problem.classes; }
  /// Whether the elements of consecutive rows that an extract of the score loads have a constant distance.
  bool areStrided(mlir::tensor::ExtractOp extract) const;
  /// Contiguous elements of the rows from number `row` on. `subscriptsAt` returns the subscripts in `memref` of the
  /// first element of a row; one is the row's index plus an invariant, and the others do not depend on the row.
  /// Requires areStrided().
  StridedRows strided(Value memref, Value row, llvm::function_ref<Values(RegionVectoriser &row)> subscriptsAt) const;
  /// Ascending ends e of the keys of a block, counted from its first key: keys e[v - 1] .. e[v] - 1 (from 0 for v = 0)
  /// need vectors v, v + 1, ... alone, because the mask drops all pairs of earlier vectors. The last end is the block's
  /// count. There is one end if the mask determines none.
  Values liveEnds(const KeyBlock &block) const;

  /// The number of the first row; how many rows exist: at most tileQ(), 0 or less if a class has fewer rows.
  Value firstRow, rowCount;
  std::vector<RegionVectoriser> vectors; ///< [vector]: the row indices are bound

private:
  const PrefillBatch &batch;
  const AttendPart &part;
  Values vectorKeyEnds; ///< [vector]: from this key on it and those before drop all; empty if unknown or equal
};

} // namespace attnc
