//===- RegisterTiles.h - register tile of a matrix product in the tiled gradient of attention ---------------------===//
//
//   sums[i][v] += sum_k left(i, k) right(v, k)          rows x vectors sums in registers, numbered i * vectors + v
//
// GradientSums.cpp and ScoreGradients.cpp use this code for the products of TiledGradient.h.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/TiledContext.h"

namespace attnc {

/// Emits loops over `count` (index) rows: a loop over tiles of `rows` rows, then a loop over the remaining rows, one by
/// one. `body` emits a tile of `rows` rows from `row` (index) on. It is called at most once for each loop.
void forEachTile(FlatBuilder &loops, mlir::Value count, int64_t rows,
                 llvm::function_ref<void(mlir::Value row, int64_t rows)> body);

/// The product of one register tile.
struct TileProduct {
  using Value = mlir::Value;
  FlatBuilder &loops;
  RegisterTile size;
  Value begin, end;                                         ///< k runs over begin .. end - 1
  llvm::function_ref<Value(int64_t row, Value k)> left;     ///< left(i, k), a scalar
  llvm::function_ref<Value(int64_t vector, Value k)> right; ///< right(v, k), a vector

  /// Emits the loop over k. Returns `sums`, size.rows * size.vectors vectors, plus the terms. With `skipsZeros`, a term
  /// whose left factor is 0 is computed, but not added (a select, not a branch), so that a NaN or infinite right factor
  /// has no effect.
  LoopBuilder::Values addTo(mlir::ValueRange sums, bool skipsZeros = false) const;
};

} // namespace attnc
