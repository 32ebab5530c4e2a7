//===- QueryTile.h - a block of queries, in vectors -----------------------------------------------------------===//
//
// Queries are in the lanes: vector v holds queries firstRow + v * lanes and those that follow. Under a causal mask, and
// any other for which a row's index tells its last key, the vectors whose rows drop the rest of a block of keys take no
// part in its products: the diagonal is computed in steps of a vector.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PrefillBatch.h"

namespace attnc {

class QueryTile : PrefillContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  /// Tile `number` of `part`.
  QueryTile(const PrefillContext &context, const PrefillBatch &batch, const AttendPart &part, Value number);
  /// Binds the rows in `vectors`, and prepares the mask for them.
  void bind(AttendMask &mask);

  /// The formulas of the vector of rows that begins with `query`.
  RegionVectoriser bindVector(Value query) const;
  /// The formulas of these rows one by one, one a lane; past the last row it is repeated.
  std::vector<RegionVectoriser> bindLanes(Value query) const;
  /// For the keys of a block below liveEnds[v], vectors v, v + 1, ... are computed; earlier ones drop all keys from
  /// liveEnds[v - 1] on.
  Values liveEnds(const KeyBlock &block) const;

  Value firstRow, rowCount;
  std::vector<RegionVectoriser> vectors; ///< the row indices are bound

private:
  const PrefillBatch &batch;
  const AttendPart &part;
  Values vectorKeyEnds; ///< [vector]: it and those before drop all keys from there on; empty where unknown
};

} // namespace attnc
