//===- ValueTiles.h - register tiles of the sums of values ----------------------------------------------------===//
//
//   Ot[v][q] = correction[q] * Ot[v][q] + sum_k V[k][v] * Pt[k][q]    for the keys k of a block
//
// in register tiles of a few values and all vectors of queries. The tiles are emitted into a phase, for values by any
// formula, or into a routine (Routine.h), for values that are rows of elements at a constant distance.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/Nest/StridedRows.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>

namespace attnc {

/// Keys that one iteration of the innermost loop of sums of values adds.
inline constexpr int64_t keysAtOnce = 4;

/// Operands of the sums of a block. Keys are counted from its first key.
struct ValueTileOperands {
  using Value = mlir::Value;
  Value weights, sums;                  ///< tiles: Pt, [key][query], and Ot, [value][query]
  Value count, values;                  ///< keys of the block; values of a key
  llvm::SmallVector<Value> liveEnds;    ///< QueryTile::liveEnds
  llvm::SmallVector<Value> corrections; ///< [vector] of vectors, or empty
  Value allSelected;                    ///< KeyBlock::allSelected; null if no pair is dropped
};

/// Emits values and the flags of selected pairs.
struct ValueSource {
  using Value = mlir::Value;
  /// An element of the value of a key, by its number, in a vector for the queries of vector `vector`.
  using ValueOfKey = std::function<Value(Value number, int64_t vector)>;
  std::function<ValueOfKey(Value key)> ofKey;
  bool dependsOnRows = false; ///< otherwise the vector of queries is ignored
  /// The flags of the pairs of a key and the queries of a vector.
  std::function<Value(Value key, int64_t vector)> flagsOf;
  /// Prefetches the line of an element of the value of a key; null if elements are not contiguous.
  std::function<void(Value key, Value number, unsigned locality)> prefetchLine;
};

/// Emits the sums at the insertion point of `code`.
void emitValueTiles(FlatBuilder &code, const AttendSchedule &schedule, const ValueTileOperands &operands,
                    const ValueSource &source);

/// Calls a routine in `module` for values that are rows: `rows` are those of the keys of the block. `flags` is the tile
/// of selected pairs, [key][vector], in which the block begins with row `firstFlags`; null if no pair is dropped.
void callValueTiles(FlatBuilder &code, mlir::ModuleOp module, const AttendSchedule &schedule,
                    const ValueTileOperands &operands, const StridedRows &rows, mlir::Value flags,
                    mlir::Value firstFlags);

} // namespace attnc
