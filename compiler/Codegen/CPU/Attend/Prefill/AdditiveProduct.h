//===- AdditiveProduct.h - additive scores by powers of rows and of keys --------------------------------------===//
//
//   s(q, k) = sum_f c[f] - 2 sum_f c[f] / (1 + A[q, f] B[k, f])          A, B = exp(2 x) of both terms (SumOfTanh.h)
//
// for features f; c are the coefficients. The powers A are computed once a block of queries, B once a block of keys.
// packKeys() computes whether the terms and coefficients are within the range of powers; if not, the caller computes
// the block's tanhs one by one.
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

  /// Emits the computation of the coefficients and of the rows' powers, in `tiles`, from the packed operands.
  void packRows(const PackedQueries &packed);
  /// Emits the computation of the powers of a block's keys. Returns i1: whether its terms, those of the rows and the
  /// coefficients are within the range.
  Value packKeys(const KeyBlock &block);
  /// Returns sums + sum_f c / t, with t = 1 + A B, of a register tile: a vector for each [key][vector from
  /// firstVector].
  Values sumFractions(const KeyTile &tile, ValueRange sums);
  /// The product s, a vector, for a vector of these sums, if they started from 0.
  Value scoreOf(Value sum) { return loops.fma(sum, loops.splat(-2.0), sumOfCoefficients); }

  /// Keys of a register tile.
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
