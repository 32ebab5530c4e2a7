//===- QueryResults.h - stores of the statistics of a block of queries ----------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/QueryTile.h"
#include "compiler/Codegen/CPU/Attend/Prefill/TileAccess.h"

namespace attnc {

class QueryResults : PrefillContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  QueryResults(const PrefillContext &context, QueryTile &queries)
      : PrefillContext(context), access(loops, schedule), queries(queries) {}

  bool yields(mlir::attn::Statistic statistic) const { return problem.yields(statistic); }
  /// Stores an element for each row of a vector: the outer indices, then `last`, in the order of `layout`.
  void store(mlir::attn::Statistic statistic, int64_t vector, Value value, mlir::ValueRange last = {},
             std::optional<llvm::ArrayRef<int64_t>> layout = std::nullopt);
  /// Stores rows 0 .. count-1 of a tile as a run of `count` elements for each query, whose last subscript begins with
  /// `first`. The lanes are multiplied with `scales` (a tile of one row), if there is one.
  void storeRuns(mlir::attn::Statistic statistic, Value tile, Value first, Value count, Value scales = {},
                 std::optional<llvm::ArrayRef<int64_t>> layout = std::nullopt);

private:
  TileAccess access;
  QueryTile &queries;
};

} // namespace attnc
