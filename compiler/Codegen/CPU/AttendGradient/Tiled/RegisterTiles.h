//===- RegisterTiles.h - products of a few rows and a few vectors, summed in registers ------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/TiledContext.h"

namespace attnc {

/// Calls `body` for tiles of `rows` rows, then for the remaining rows one by one.
void forEachTile(FlatBuilder &loops, mlir::Value count, int64_t rows,
                 llvm::function_ref<void(mlir::Value row, int64_t rows)> body);

struct TileProduct {
  using Value = mlir::Value;
  FlatBuilder &loops;
  RegisterTile size;
  Value begin, end;                                         ///< of the terms
  llvm::function_ref<Value(int64_t row, Value k)> left;     ///< a scalar
  llvm::function_ref<Value(int64_t vector, Value k)> right; ///< a vector

  /// sums[i][v] + sum_k left(i, k) right(v, k); without the terms whose left factor is 0, or with them.
  LoopBuilder::Values addTo(mlir::ValueRange sums, bool skipsZeros = false) const;
};

} // namespace attnc
