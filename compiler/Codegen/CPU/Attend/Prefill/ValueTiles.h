//===- ValueTiles.h - register tiles of the weighted sums of values in prefill attention --------------------------===//
//
//   Ot[v][q] = correction[q] * Ot[v][q] + sum_k V[k][v] * Pt[k][q]    for the keys k of a block
//
// q is a query, v an element of a value vector, and Pt are the weights. A register tile has a few elements v and all
// vectors of queries. The tiles are emitted in place for values by any formula, or into a routine (Routine.h) if the
// value vectors are contiguous and consecutive keys have a constant distance. ValueSums.cpp calls both functions.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/Nest/StridedRows.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>

namespace attnc {

/// The number of keys that one iteration of the innermost loop adds.
inline constexpr int64_t keysAtOnce = 4;

/// Operands of the sums of a block. Keys are counted from the first key of the block, in values of type index.
struct ValueTileOperands {
  using Value = mlir::Value;
  Value weights, sums;                  ///< tiles (TileAccess.h): Pt, [key][query]; Ot, [value][query]
  Value count, values;                  ///< the number of keys of the block; the number of elements of a value vector
  llvm::SmallVector<Value> liveEnds;    ///< QueryTile::liveEnds() of the block, whose last end is `count`
  llvm::SmallVector<Value> corrections; ///< one vector for each vector of queries; empty: no correction
  /// i1, KeyBlock::allSelected. If it is false at run time, sums of a register tile that contain a NaN are computed
  /// again over the selected pairs alone. Null if the kernel never drops a pair.
  Value allSelected;
};

/// Callbacks that emit loads of values and of the flags of selected pairs. Keys are counted from the first key of the
/// block.
struct ValueSource {
  using Value = mlir::Value;
  /// Returns element `number` (index) of the value vector of one key, as a vector with a lane for each query of vector
  /// number `vector`.
  using ValueOfKey = std::function<Value(Value number, int64_t vector)>;
  std::function<ValueOfKey(Value key)> ofKey; ///< the values of key number `key`
  bool dependsOnRows = false;                 ///< whether values depend on the query; if not, `vector` is ignored
  /// The flags of the pairs of a key and the queries of a vector: a vector of i1, true for selected pairs.
  std::function<Value(Value key, int64_t vector)> flagsOf;
  /// Emits a prefetch of the cache line of element `number` of the value vector of a key; both may be past the end.
  /// `locality` is that of LoopBuilder::prefetch(). Null if the elements of a value vector are not contiguous.
  std::function<void(Value key, Value number, unsigned locality)> prefetchLine;
};

/// Emits the sums of a block at the insertion point of `code`, for values by any formula.
void emitValueTiles(FlatBuilder &code, const AttendSchedule &schedule, const ValueTileOperands &operands,
                    const ValueSource &source);

/// Emits a call of a routine in `module` that computes the sums of a block. `rows` are the value vectors of the keys
/// from the block's first key on; their `count` and `columns` are not used. `flags` is the tile of selected pairs,
/// [key][vector], and `firstFlags` (index) is the row of it that belongs to the block's first key. Both are not used if
/// operands.allSelected is null.
void callValueTiles(FlatBuilder &code, mlir::ModuleOp module, const AttendSchedule &schedule,
                    const ValueTileOperands &operands, const StridedRows &rows, mlir::Value flags,
                    mlir::Value firstFlags);

} // namespace attnc
