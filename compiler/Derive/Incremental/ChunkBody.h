//===- ChunkBody.h - copy of the body of an op for the positions of a call ----------------------------------------===//
//
// The ops of next and next_prefill (Incremental.h) iterate over the positions of one call. Row b has length[b]
// positions from earlier calls, so position i of the call is position i + length[b] of f. ChunkBody copies the body of
// an op of f (a linalg.generic or attn.attend) into the op of the new function, and rewrites the indices accordingly.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/ChunkValues.h"

namespace attnc {

/// Copies the body of one op. A use of a position index i becomes i + length[b], except as a subscript of a value that
/// has the positions of the call only. A use of a key index becomes, if the keys are in a ring cache, the position that
/// the ring holds at this index, except as a subscript of the ring. Any other subscript of the positions of a ring
/// cache becomes the index of that position in the ring.
class ChunkBody {
public:
  /// `indices` are those of the op of f. `top` is the outermost block of the new op's body, which dominates all its
  /// other blocks. `row` returns the row index b; it is called on demand, at most once, with the builder at the start
  /// of `top`. `chunk` and the callable of `row` must outlive this object.
  ChunkBody(ChunkValues &chunk, BodyIndices indices, mlir::Block *top, llvm::function_ref<mlir::Value()> row)
      : chunk(chunk), indices(indices), top(top), row(row) {
    if (mlir::Value step = indices.roles.timeStep)
      bind(step, chunk.values.lookup(step));
  }
  /// Maps `old`, an index or another argument of the old body, to its value `here` in the copy. A position index is
  /// mapped to the position within the call; after setRing(), a key index is mapped to the index in the ring, or, in
  /// next_prefill, in ChunkValues::cacheContents, which begins with the `window` positions before the call. The caller
  /// binds all arguments of the old body before copy().
  void bind(mlir::Value old, mlir::Value here);
  /// Sets the ring cache that holds the keys of the attend; null if none does. Must precede bind().
  void setRing(const RetainedValue *retained) { ring = retained; }
  /// Copies all ops of the block `from` but bound linalg.index, including the terminator, to the builder's insertion
  /// point.
  void copy(mlir::Block &from);
  /// Emits an i1: true if the position of `key`, a key index of the old body, is at least 0.
  mlir::Value isPosition(mlir::Value key);
  /// Emits an i1: true if `key`, a key index of the old body, is a position that the caches hold after the call, which
  /// has the argument `count`.
  mlir::Value isStored(mlir::Value key);

private:
  void copy(mlir::Operation &op);
  void copyExtract(mlir::tensor::ExtractOp extract);
  mlir::Value value(mlir::Value old);
  mlir::Value copyNumber(mlir::Operation *op);
  mlir::Value rowIndex();
  mlir::Value numberOfRow(mlir::Value list);
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
