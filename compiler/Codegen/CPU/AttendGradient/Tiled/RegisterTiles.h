//===- RegisterTiles.h - register-tiled matrix product --------------------------------------------------------===//
//
//   sums[i][v] += sum_k left(i, k) right(v, k)          rows x vectors sums in registers, numbered i * vectors + v
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/TiledContext.h"

namespace attnc {

/// Emits a loop over tiles of `rows` rows from `row` on, then one over the remaining rows one by one (rows = 1), so
/// `body` is called at most twice.
void forEachTile(FlatBuilder &loops, mlir::Value count, int64_t rows,
                 llvm::function_ref<void(mlir::Value row, int64_t rows)> body);

struct TileProduct {
  using Value = mlir::Value;
  FlatBuilder &loops;
  RegisterTile size;
  Value begin, end;                                         ///< k runs over begin .. end - 1
  llvm::function_ref<Value(int64_t row, Value k)> left;     ///< left(i, k), a scalar
  llvm::function_ref<Value(int64_t vector, Value k)> right; ///< right(v, k), a vector

  /// Emits the loop over k and returns `sums` with its terms. With `skipsZeros` a term whose left factor is 0 is
  /// computed, but not added (a select, not a branch), so that a NaN or infinite right factor has no effect.
  LoopBuilder::Values addTo(mlir::ValueRange sums, bool skipsZeros = false) const;
};

} // namespace attnc
