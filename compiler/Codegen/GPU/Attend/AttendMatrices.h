//===- AttendMatrices.h - attention as tensor cores take it -------------------------------------------------------===//
//
// Queries, keys and values are three matrices of a batch, whose rows lie in memory as whole units of 16 bytes; the
// score holds one product of the first two, S = Q K^T, and the values are summed by the weights in one pass, O = P V.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendRows.h"
#include "compiler/Codegen/GPU/Tile/AsyncCopy.h"
#include "compiler/Codegen/GPU/Tile/Fragment.h"

namespace attnc {

struct AttendMatrices {
  MatrixType type;
  int64_t features, values; ///< of a row: 16 to 256, multiples of 16
  mlir::tensor::ExtractOp query, key, value;

  /// Whether the problem has this form; the reason completes "attention without tensor cores: ".
  static Verdict match(const AttendProblem &problem, std::optional<AttendMatrices> &matrices);
};

/// How many elements score, mask and weight read that differ from key to key, besides those of the product: they take
/// registers.
int64_t readsByKey(const AttendProblem &problem);

/// Where the rows of the matrices begin: bytes (i64).
class AttendSources {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  AttendSources(const AttendProblem &problem, const AttendMatrices &matrices, DeviceFrame &frame, AttendRows &rows);

  /// Of the keys or the values of a batch.
  struct KeyRows {
    Value pointer;       ///< !llvm.ptr
    Value first, stride; ///< of key 0, and between keys
  };
  KeyRows keys() { return rowsOf(matrices.key); }
  KeyRows values() { return rowsOf(matrices.value); }
  /// The subscripts (index) of the first element of one of the matrices of the batch.
  Values subscriptsOfFirst(mlir::tensor::ExtractOp extract);
  /// Begins to copy a tile of queries, from `firstRow` (index) of the batch on, by `threads` threads, of which this is
  /// number `thread` (i32). Past the end of the batch its last row is copied.
  void copyQueries(TileBuilder &tiles, const SharedTile &tile, Value firstRow, Value thread, int64_t threads);

private:
  Value query(Value row);
  KeyRows rowsOf(mlir::tensor::ExtractOp extract);
  Value placeOfKey(mlir::tensor::ExtractOp extract, Value key);
  Value bytesOf(mlir::tensor::ExtractOp extract, RegionVectoriser &point);
  mlir::BlockArgument feature() const;

  const AttendProblem &problem;
  const AttendMatrices &matrices;
  DeviceFrame &frame;
  AttendRows &rows;
  LoopBuilder loops;
};

} // namespace attnc
