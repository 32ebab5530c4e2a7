//===- ChunkBody.h - copy of the body of an op for the positions of a call ----------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/ChunkValues.h"

namespace attnc {

/// Copies the body of an op, with positions counted from the first one of all: a position index i becomes i +
/// length[b], except as a subscript of a value of the call. A key index in a ring becomes the position stored there.
class ChunkBody {
public:
  /// `top` is the new op's outermost block, which dominates all other blocks of the body. `row` returns the row index;
  /// it is called on demand, at most once, with the builder at the start of `top`.
  ChunkBody(ChunkValues &chunk, BodyIndices indices, mlir::Block *top, llvm::function_ref<mlir::Value()> row)
      : chunk(chunk), indices(indices), top(top), row(row) {
    if (mlir::Value step = indices.roles.timeStep)
      bind(step, chunk.values.lookup(step));
  }
  /// Maps an index or another argument of the body to its value in the copy: a position index to that within the call,
  /// a key index in a ring to the index in the ring.
  void bind(mlir::Value old, mlir::Value here);
  /// Sets the ring cache that holds the keys of the attend.
  void setRing(const RetainedValue *retained) { ring = retained; }
  /// Copies all ops, including the terminator, to the builder's insertion point.
  void copy(mlir::Block &from);
  /// Emits whether the position of `key`, a key index of the old body, is not negative.
  mlir::Value isPosition(mlir::Value key);

private:
  void copy(mlir::Operation &op);
  void copyExtract(mlir::tensor::ExtractOp extract);
  mlir::Value value(mlir::Value old);
  mlir::Value copyNumber(mlir::Operation *op);
  mlir::Value rowIndex();
  mlir::Value offset();
  mlir::Value keyPosition(mlir::Value ringIndex);
  mlir::Value toRingIndex(mlir::Value position, const RetainedValue &retained);

  ChunkValues &chunk;
  BodyIndices indices;
  mlir::Block *top;
  llvm::function_ref<mlir::Value()> row;
  mlir::IRMapping mapping;
  /// Position indices, counted from the first position of the call.
  llvm::DenseMap<mlir::Value, mlir::Value> callIndices;
  llvm::DenseMap<mlir::Value, mlir::Value> ringIndices; ///< key indices, as indices in `ring`
  mlir::Value knownRow, knownOffset;
  const RetainedValue *ring = nullptr;
};

} // namespace attnc
