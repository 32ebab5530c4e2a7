//===- QueryResults.h - stores of the statistics of a block of queries ----------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/QueryTile.h"
#include "compiler/Codegen/CPU/Attend/Prefill/TileAccess.h"

namespace attnc {

/// Stores to the kernel's results. A statistic that is stored must be a result.
class QueryResults : PrefillContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  QueryResults(const PrefillContext &context, QueryTile &queries)
      : PrefillContext(context), access(loops, schedule), queries(queries) {}

  /// Whether the statistic is a result of the kernel.
  bool yields(mlir::attn::Statistic statistic) const { return problem.yields(statistic); }
  /// Stores an element of `value` for each query of a vector (by number) that exists. Its subscripts are the outer
  /// indices and `last`; with `layout`, subscript d is number layout[d] of these.
  void store(mlir::attn::Statistic statistic, int64_t vector, Value value, mlir::ValueRange last = {},
             std::optional<llvm::ArrayRef<int64_t>> layout = std::nullopt);
  /// Stores rows 0 .. count-1 of a tile, [row][query], transposed: a run of `count` elements for each query that
  /// exists, at last subscripts first, first + 1, ... The elements of a query are multiplied with its element of
  /// `scales` (a tile of one row), if there is one. `layout` must keep the last subscript last.
  void storeRuns(mlir::attn::Statistic statistic, Value tile, Value first, Value count, Value scales = {},
                 std::optional<llvm::ArrayRef<int64_t>> layout = std::nullopt);

private:
  TileAccess access;
  QueryTile &queries;
};

} // namespace attnc
