//===- AttendMatrices.h - attention as matrix products for tensor cores -------------------------------------------===//
//
// Matches attention whose score contains one product of queries and keys, S = Q K^T, and whose values are summed in one
// pass, O = P V. Queries, keys and values are matrices of a batch, whose rows are aligned to 16 bytes and contiguous.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendRows.h"
#include "compiler/Codegen/GPU/Tile/AsyncCopy.h"
#include "compiler/Codegen/GPU/Tile/Fragment.h"

namespace attnc {

struct AttendMatrices {
  MatrixType type;
  int64_t features, values; ///< of a row: multiples of 16, from 16 to 256
  mlir::tensor::ExtractOp query, key, value;

  /// Whether the problem matches; the reason completes "attention without tensor cores: ".
  static Verdict match(const AttendProblem &problem, std::optional<AttendMatrices> &matrices);
};

/// Number of elements, besides those of the product, that score, mask and weight read for each key: they occupy
/// registers.
int64_t readsByKey(const AttendProblem &problem);

/// Byte offsets (i64) of the rows of the matrices.
class AttendSources {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  AttendSources(const AttendProblem &problem, const AttendMatrices &matrices, DeviceFrame &frame, AttendRows &rows);

  /// The key or value rows of a batch.
  struct KeyRows {
    Value pointer;       ///< !llvm.ptr
    Value first, stride; ///< offset of key 0, and distance of consecutive keys
  };
  KeyRows keys() { return rowsOf(matrices.key); }
  KeyRows values() { return rowsOf(matrices.value); }
  /// The subscripts (index) of the first element of a matrix of the batch.
  Values firstSubscripts(mlir::tensor::ExtractOp extract);
  /// Issues the copy of a tile of queries, from `firstRow` (index) of the batch on, by `threads` threads, of which this
  /// is number `thread` (i32). Past the end of the batch its last row is copied.
  void copyQueries(TileBuilder &tiles, const SharedTile &tile, Value firstRow, Value thread, int64_t threads);

private:
  Value query(Value row);
  KeyRows rowsOf(mlir::tensor::ExtractOp extract);
  Value keyOffset(mlir::tensor::ExtractOp extract, Value key);
  Value byteOffset(mlir::tensor::ExtractOp extract, RegionVectoriser &point);
  mlir::BlockArgument feature() const;

  const AttendProblem &problem;
  const AttendMatrices &matrices;
  DeviceFrame &frame;
  AttendRows &rows;
  LoopBuilder loops;
};

} // namespace attnc
