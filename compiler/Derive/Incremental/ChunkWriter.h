//===- ChunkWriter.h - writer of next and next_prefill: the positions of one call ---------------------------------===//
//
// Writes next or next_prefill: each op of f that depends on positions, restricted to the positions of the call. At
// position i an op computes what it computes in f at position length[b] + i.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/EntryPointWriter.h"

namespace attnc {

class ChunkWriter : EntryPointWriter {
public:
  /// `isStep`: writes next, for a constant one position; else next_prefill.
  ChunkWriter(IncrementalPlan &plan, bool isStep)
      : EntryPointWriter(plan, isStep ? plan.name : plan.name + "_prefill"), isStep(isStep) {}
  void write();

private:
  friend class ChunkBody;

  // ChunkWriter.cpp
  Port chunkPort(mlir::Value value, std::string name);
  Port cachePort(const RetainedValue &cache);
  Port precomputedPort(const RetainedValue &given);
  Port lengthPort(llvm::StringRef name);
  void writeArguments();
  void writeBlock(mlir::Block &block);
  void writeLoop(mlir::scf::ForOp loop);
  void writeReturn();
  void append(mlir::Value value);

  // ChunkRings.cpp
  mlir::Value prependEarlier(mlir::Value rows, mlir::Value ring, const RetainedValue &retained);
  const RetainedValue *ringOf(mlir::attn::AttendOp op) const;
  mlir::Value ringKeys(mlir::attn::AttendOp op, const RetainedValue &ring);

  // ChunkOps.cpp
  void writeOp(mlir::Operation &op);
  void write(mlir::linalg::GenericOp op);
  void write(mlir::attn::AttendOp op);
  void write(mlir::linalg::TransposeOp op);
  void write(mlir::tensor::ExpandShapeOp op);
  void write(mlir::tensor::CollapseShapeOp op);
  void write(mlir::tensor::ExtractSliceOp op);
  void write(mlir::tensor::ConcatOp op);
  void writeTableSlice(mlir::tensor::ExtractSliceOp op);

  /// The type of `value` here, with a leading dimension of rows if `isPerRow` and it had none.
  mlir::RankedTensorType typeOf(mlir::Value value, bool isPerRow);
  mlir::RankedTensorType typeOf(mlir::Value value) { return typeOf(value, isPerRow(value)); }
  llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::Value value, bool isPerRow);
  mlir::Value emptyLike(mlir::Value value, bool isPerRow);
  mlir::OpFoldResult sizeHere(mlir::OpFoldResult size, mlir::Location at);
  bool isPerRow(mlir::Value value) { return analysis.fact(value).perRow; }
  /// The tensor here that corresponds to a tensor of f; with a dimension of rows if `isPerRow`.
  mlir::Value tensor(mlir::Value value);
  mlir::Value tensor(mlir::Value value, bool isPerRow);
  mlir::OpFoldResult rowCount(mlir::Location at);

  bool isStep;
  mlir::Value length, capacity, count;            ///< `capacity` and `count` are null unless they are arguments
  llvm::SmallVector<mlir::Value> caches;          ///< current value of each cache
  llvm::DenseMap<mlir::Value, mlir::Value> lists; ///< lists of precomputed values
  /// Contents of caches: all positions up to those of the call. Of a ring: in next the ring; in next_prefill the
  /// `window` positions before the call, and those of the call.
  llvm::DenseMap<mlir::Value, mlir::Value> cacheContents;
};

/// Copies the body of an op, with positions counted from the first one of all: a position index i becomes i +
/// length[b], except as a subscript of a value of the call. A key index in a ring becomes the position stored there.
class ChunkBody {
public:
  /// `row` returns the row index; it is called on demand, with the builder at the start of the body.
  ChunkBody(ChunkWriter &writer, BodyIndices indices, mlir::Block *top, llvm::function_ref<mlir::Value()> row)
      : writer(writer), indices(indices), top(top), row(row) {}
  /// Maps an index or another argument of the body.
  void bind(mlir::Value old, mlir::Value here);
  /// Sets the ring cache that holds the keys of the attend.
  void setRing(const RetainedValue *retained) { ring = retained; }
  /// Copies all ops, including the terminator, to the builder's insertion point.
  void copy(mlir::Block &from);
  /// Whether the key's position is not negative.
  mlir::Value isPosition(mlir::Value key);

private:
  void copy(mlir::Operation &op);
  void copyExtract(mlir::tensor::ExtractOp extract);
  mlir::Value value(mlir::Value old);
  mlir::Value rowIndex();
  mlir::Value offset();
  mlir::Value keyPosition(mlir::Value ringIndex);
  mlir::Value toRingIndex(mlir::Value position, const RetainedValue &retained);

  ChunkWriter &writer;
  BodyIndices indices;
  mlir::Block *top;
  llvm::function_ref<mlir::Value()> row;
  mlir::IRMapping mapping;
  llvm::DenseMap<mlir::Value, mlir::Value>
      callIndices; ///< position indices, counted from the first position of the call
  llvm::DenseMap<mlir::Value, mlir::Value> ringIndices; ///< key indices, as indices in `ring`
  mlir::Value knownRow, knownOffset;
  const RetainedValue *ring = nullptr;
};

} // namespace attnc
