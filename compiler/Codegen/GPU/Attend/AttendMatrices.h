//===- AttendMatrices.h - attention as matrix products for tensor cores -------------------------------------------===//
//
// Matches attention whose score contains one dot product of queries and keys, S = Q K^T, and whose values are summed in
// one pass, O = P V. Queries, keys and values are matrices of a batch, whose rows are aligned to 16 bytes and
// contiguous.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendRows.h"
#include "compiler/Codegen/GPU/Tile/AsyncCopy.h"
#include "compiler/Codegen/GPU/Tile/Fragment.h"

namespace attnc {

struct AttendMatrices {
  MatrixType type;          ///< of all three matrices; f32 is TF32 if the kernel has attn.tf32, otherwise F32
  int64_t features, values; ///< of a row: multiples of 16, from 16 to 256
  mlir::tensor::ExtractOp query, key, value; ///< the loads of an element in the formulas

  /// Sets `matrices` if the problem matches; otherwise the reason completes "attention without tensor cores: ".
  /// docs/gpu.md lists the conditions.
  static Verdict match(const AttendProblem &problem, std::optional<AttendMatrices> &matrices);
};

/// Number of elements, besides those of the product, that score, mask and weight read for each key: they occupy
/// registers.
int64_t readsByKey(const AttendProblem &problem);

/// Byte offsets of the rows of the matrices in their buffers, in the open batch of `rows` (AttendRows::openBatch).
class AttendSources {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  AttendSources(const AttendProblem &problem, const AttendMatrices &matrices, DeviceFrame &frame, AttendRows &rows);

  /// The key or value rows of a batch.
  struct KeyRows {
    Value pointer;       ///< !llvm.ptr
    Value first, stride; ///< i64, bytes: offset of key 0 from `pointer`, and distance of consecutive keys
  };
  KeyRows keys() { return rowsOf(matrices.key); }
  KeyRows values() { return rowsOf(matrices.value); }
  /// The subscripts (index) of the load `extract` of a matrix for row 0, or key 0, and column 0 of the batch.
  Values firstSubscripts(mlir::tensor::ExtractOp extract);
  /// Issues the copy of `tile.rows` queries, from `firstRow` (index) of the batch on, by `threads` threads, of which
  /// this is number `thread` (i32); does not commit it. Past the end of the batch its last row is copied.
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
