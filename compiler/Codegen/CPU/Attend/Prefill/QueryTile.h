//===- QueryTile.h - a block of queries, in vectors -----------------------------------------------------------===//
//
// Queries are in the lanes: vector v holds queries firstRow + v * lanes and those that follow. Under a causal mask, or
// any other mask whose last key of a row follows from the row's index, the products of a block of keys omit a vector
// from the key on from which all of its rows are masked: the diagonal is computed in steps of a vector.
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
  /// The formulas of each of these rows, one row a lane; past the end, the last row is repeated.
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
