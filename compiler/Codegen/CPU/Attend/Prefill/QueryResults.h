//===- QueryResults.h - stores of the results of a tile of queries in prefill attention ---------------------------===//
//
// A statistic is a result of attention, such as the value, the weights or the lse (attn::Statistic). Its tensor has the
// outer dimensions and, for some statistics, last dimensions, such as keys, ranks or the elements of a value vector.
// PrefillTile.cpp, FinalWeights, LargestKeys and ValueSums store by this class.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/QueryTile.h"
#include "compiler/Codegen/CPU/Attend/Prefill/TileAccess.h"

namespace attnc {

/// Emits stores to the kernel's results. store() and storeRuns() require that the statistic is a result of the kernel.
class QueryResults : PrefillContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  QueryResults(const PrefillContext &context, QueryTile &queries)
      : PrefillContext(context), access(loops, schedule), queries(queries) {}

  /// Whether the statistic is a result of the kernel.
  bool yields(mlir::attn::Statistic statistic) const { return problem.yields(statistic); }
  /// Stores lane l of `value`, a vector, for query l of vector number `vector`, if this query exists. The subscripts of
  /// the element are the outer indices of the query, then `last` (index, the same for all queries). With `layout`,
  /// subscript d of the tensor is number layout[d] of these.
  void store(mlir::attn::Statistic statistic, int64_t vector, Value value, mlir::ValueRange last = {},
             std::optional<llvm::ArrayRef<int64_t>> layout = std::nullopt);
  /// Stores the first `count` (index) rows of `tile`, [row][query], transposed: each query that exists gets a run of
  /// `count` elements, whose last subscripts are `first` (index), first + 1, ... If `scales`, a tile [query], is not
  /// null, the elements of a query are multiplied with its element. `layout` is as above, and must keep the last
  /// subscript last. The tile must have room for `count`, rounded up to whole vectors, of rows. Requires that the
  /// statistic has one last dimension.
  void storeRuns(mlir::attn::Statistic statistic, Value tile, Value first, Value count, Value scales = {},
                 std::optional<llvm::ArrayRef<int64_t>> layout = std::nullopt);

  /// The runs that storeRuns() stores, as rows; `columns` is null. Requires QueryTile::areStrided().
  StridedRows rowsOf(mlir::attn::Statistic statistic, Value first, std::optional<llvm::ArrayRef<int64_t>> layout) const;

private:
  Values coordinatesOf(RegionVectoriser &row, Value last, std::optional<llvm::ArrayRef<int64_t>> layout) const;

  TileAccess access;
  QueryTile &queries;
};

} // namespace attnc
