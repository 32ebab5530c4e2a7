//===- QueryTile.h - a tile of queries in prefill attention, as vectors -------------------------------------------===//
//
// A tile has up to tileQ() consecutive queries (rows) of a batch, in schedule.vectors vectors. Queries are in the
// lanes: vector v holds rows firstRow + v * lanes and those that follow. Under a causal mask, or any other mask that
// determines the last key of a row from the row's index, each vector has an end: from this key on, all of its rows are
// masked, and the products omit the vector. The diagonal is therefore computed in steps of a vector.
//
// A `row` is numbered in the batch, or in its residue class (PrefillBatch.h). A `query` is a row of this tile, counted
// from 0. Both are of type index. AttendPrefill.cpp creates tiles, and the parts of PrefillTile read them.
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

  /// The tile of the next chunk, whose queries are prefetched: its batch and its number. A single worker computes it
  /// after this one.
  struct Next {
    const PrefillBatch &batch;
    Value number;
  };
  /// Tile `number` (index) of `part` (AttendSchedule.h). Sets firstRow, rowCount and firstRowOfNext. Called after
  /// PrefillBatch::open() of both batches. The object refers to `batch`, `part` and `next.batch`.
  QueryTile(const PrefillContext &context, const PrefillBatch &batch, const AttendPart &part, Value number,
            const Next &next);
  /// Binds the rows in `vectors`, prepares `mask` for them, and finds the ends of their keys. Called once, before
  /// liveEnds(). Requires that the tile has a row at run time.
  void bind(AttendMask &mask);

  /// The formulas bound to the vector of rows that begins with `query`. Rows that do not exist are inactive lanes.
  RegionVectoriser bindVector(Value query) const;
  /// For each lane of this vector, the formulas bound to its row, the same row in all lanes. For a row that does not
  /// exist, the last row of the batch (or of the residue class) is bound.
  std::vector<RegionVectoriser> bindLanes(Value query) const;
  /// Whether consecutive rows differ in one index only, by 1.
  bool areStrided() const { return problem.rowDims.size() == 1 && !problem.classes; }
  /// Whether the elements of consecutive rows that an extract of the score loads have a constant distance.
  bool areStrided(mlir::tensor::ExtractOp extract) const;
  /// The elements of rows in `memref`, from row `row` on. `subscriptsAt` returns the subscripts in `memref` of the
  /// first element of a row; one of them must be the row's index plus an invariant, and the others must not depend on
  /// the row. `count` and `columns` of the result are null. Requires areStrided().
  StridedRows strided(Value memref, Value row, llvm::function_ref<Values(RegionVectoriser &row)> subscriptsAt) const {
    return strided(batch, memref, row, subscriptsAt);
  }
  /// The same for the rows of the next tile.
  StridedRows stridedNext(Value memref, llvm::function_ref<Values(RegionVectoriser &row)> subscriptsAt) const {
    return strided(nextBatch, memref, firstRowOfNext, subscriptsAt);
  }
  /// The formulas bound to row `query` of the next tile, the same row in all lanes; to the last row of its batch if the
  /// row does not exist.
  RegionVectoriser bindNext(Value query) const;
  /// The ends e of the live vectors in a block, ascending (index, counted from the block's first key). Keys e[v - 1] ..
  /// e[v] - 1 (for v = 0, keys 0 .. e[0] - 1) need only vectors v, v + 1, ..., because the mask drops all their pairs
  /// with earlier vectors. The last end is block.count. There is only this end if the mask determines no others.
  Values liveEnds(const KeyBlock &block) const;

  /// The number of the tile's first row; how many of its rows exist: at most tileQ(), and 0 or less if the residue
  /// class has no row in this tile.
  Value firstRow, rowCount;
  Value firstRowOfNext;                  ///< the number of the first row of the next tile, in its batch
  std::vector<RegionVectoriser> vectors; ///< [vector]: bindVector() of its first query; empty before bind()

private:
  Value firstRowOf(Value number) const;
  StridedRows strided(const PrefillBatch &of, Value memref, Value row,
                      llvm::function_ref<Values(RegionVectoriser &row)> subscriptsAt) const;

  const PrefillBatch &batch, &nextBatch;
  const AttendPart &part;
  Values vectorKeyEnds; ///< [vector]: from this key on it and those before drop all; empty if unknown or equal
};

} // namespace attnc
