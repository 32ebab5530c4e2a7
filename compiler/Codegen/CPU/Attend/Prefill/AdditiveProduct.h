//===- AdditiveProduct.h - additive scores of prefill attention, without a tanh for each pair ---------------------===//
//
// An additive score of query q and key k is s(q, k) = sum_f c[f] tanh(a[q, f] + b[k, f]), with features f, coefficients
// c, and terms a of the query and b of the key (SumOfTanh.h). The code computes it as
//
//   s(q, k) = sum_f c[f] - 2 sum_f c[f] / (1 + A[q, f] B[k, f])          A = exp(2 a), B = exp(2 b)
//
// The powers A are computed once for each tile of queries, and B once for each block of keys. Powers represent only
// terms and coefficients in a range. packKeys() emits the test of the range; if it fails, the caller, ScoreProduct,
// computes the tanhs of the block one by one.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PackedQueries.h"
#include "compiler/Codegen/CPU/Attend/Prefill/PrefillTiles.h"

namespace attnc {

class AdditiveProduct : PrefillContext {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  AdditiveProduct(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries,
                  const PairReduction &product, const PrefillTiles::Additive &tiles);

  /// Emits the computation of the coefficients c and of the rows' powers A from the packed operands of the queries, and
  /// stores them in `tiles`. Called first, once for each tile of queries.
  void packRows(const PackedQueries &packed);
  /// Emits the computation of the powers B of a block's keys, and stores them in `tiles`. Returns i1: whether the terms
  /// of the block's keys, the terms of the rows and the coefficients are all within the range. Requires packRows().
  Value packKeys(const KeyBlock &block);
  /// Emits sums + sum_f c[f] / (1 + A B) for a register tile. `sums` and the result have one vector for each key and
  /// each vector of queries from tile.firstVector on, [key][vector]. Requires packKeys() of the tile's block; the
  /// result is of use only if packKeys() was true at run time.
  Values sumFractions(const KeyTile &tile, ValueRange sums);
  /// The vector of scores s for a vector of the sums that sumFractions() returns, if those started from 0. Requires
  /// packRows().
  Value scoreOf(Value sum) { return loops.fma(sum, loops.splat(-2.0), sumOfCoefficients); }

  /// The most keys of a register tile.
  static constexpr int64_t tileRows = 4;

private:
  void packCoefficients();

  TileAccess access;
  const PrefillBatch &batch;
  const QueryTile &queries;
  const PairReduction &product;
  const PrefillTiles::Additive &tiles;
  Value sumOfCoefficients; ///< a vector
  Value inRange;           ///< i1: the rows and the coefficients are
};

} // namespace attnc
