//===- AttendMatrices.h - attention as matrix products for tensor cores -------------------------------------------===//
//
// Matches attention that tensor cores can compute: the score contains exactly one dot product of queries and keys, S =
// Q K^T, and the values are summed in one pass over the keys, O = P V. Here P are the attention weights. Queries, keys
// and values are matrices of a batch: a row is a query or a key, its elements are contiguous, and it starts at a
// multiple of 16 bytes. For other attention, AttendGeneral has the code.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendRows.h"
#include "compiler/Codegen/GPU/Tile/AsyncCopy.h"
#include "compiler/Codegen/GPU/Tile/Fragment.h"

namespace attnc {

/// The three matrices of a problem.
struct AttendMatrices {
  MatrixType type;          ///< of all three matrices; f32 is TF32 if the kernel has attn.tf32, otherwise F32
  int64_t features, values; ///< columns of queries and keys, and of values: multiples of 16, from 16 to 256
  mlir::tensor::ExtractOp query, key, value; ///< the loads of an element of each matrix, in the score and in the value

  /// Sets `matrices` if the problem matches; otherwise returns the reason, a phrase about the attention, and leaves
  /// `matrices` unchanged. docs/gpu.md lists the conditions.
  static Verdict match(const AttendProblem &problem, std::optional<AttendMatrices> &matrices);
};

/// Number of loads in score, mask and weight that depend on the key, without those in an attn.reduce, such as the dot
/// product. Their elements occupy registers.
int64_t readsByKey(const AttendProblem &problem);

/// Addresses of the rows of the matrices, in the open batch of `rows` (AttendRows::openBatch). The functions emit code;
/// the arguments of the constructor outlive the object.
class AttendSources {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  AttendSources(const AttendProblem &problem, const AttendMatrices &matrices, DeviceFrame &frame, AttendRows &rows);

  /// The rows of the keys, or of the values, of the open batch; key j starts at `pointer` + `first` + j * `stride`.
  struct KeyRows {
    Value pointer;       ///< !llvm.ptr
    Value first, stride; ///< i64, bytes: offset of key 0 from `pointer`, and distance of consecutive keys
  };
  KeyRows keys() { return rowsOf(matrices.key); }
  KeyRows values() { return rowsOf(matrices.value); }
  /// The subscripts (index) of the load `extract`, which is the query, key or value of AttendMatrices, for row 0, or
  /// key 0, and column 0 of the batch.
  Values firstSubscripts(mlir::tensor::ExtractOp extract);
  /// Issues the copy of `tile.rows` queries to stage 0 of `tile`, from row number `firstRow` (index) of the batch on,
  /// by `threads` threads, of which this is number `thread` (i32). The caller commits the copy. Past the end of the
  /// batch, its last row is copied.
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
