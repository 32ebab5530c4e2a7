//===- ChunkWriter.h - the positions of one call ------------------------------------------------------------------===//
//
// Writes next or next_prefill: each op of f that depends on positions, for those of the call alone. What an op writes
// here is what it writes in f at the positions length[b] + i.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/StageWriter.h"

namespace attnc {

class ChunkWriter : StageWriter {
public:
  /// `isStep`: for one position, of a size that is constant.
  ChunkWriter(IncrementalPlan &plan, bool isStep)
      : StageWriter(plan, isStep ? plan.name : plan.name + "_prefill"), isStep(isStep) {}
  void write();

private:
  friend class ChunkBody;

  // ChunkWriter.cpp
  Port chunkPort(mlir::Value value, std::string name);
  Port cachePort(const KeptValue &cache);
  Port givenPort(const KeptValue &given);
  Port lengthPort(llvm::StringRef name);
  void writeArguments();
  void writeBlock(mlir::Block &block);
  void writeLoop(mlir::scf::ForOp loop);
  void writeReturn();
  void append(mlir::Value value);

  // ChunkRings.cpp
  mlir::Value withEarlier(mlir::Value rows, mlir::Value ring, const KeptValue &kept);
  const KeptValue *ringOf(mlir::attn::AttendOp op) const;
  mlir::Value ringKeys(mlir::attn::AttendOp op, const KeptValue &ring);

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

  /// The type that `value` has here, with a dimension of rows in front where it gains one.
  mlir::RankedTensorType typeOf(mlir::Value value, bool isPerRow);
  mlir::RankedTensorType typeOf(mlir::Value value) { return typeOf(value, isPerRow(value)); }
  llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::Value value, bool isPerRow);
  mlir::Value emptyLike(mlir::Value value, bool isPerRow);
  mlir::OpFoldResult sizeHere(mlir::OpFoldResult size, mlir::Location at);
  bool isPerRow(mlir::Value value) { return analysis.fact(value).perRow; }
  /// What stands for a tensor of f; with a dimension of rows where that is asked for.
  mlir::Value tensor(mlir::Value value);
  mlir::Value tensor(mlir::Value value, bool isPerRow);
  mlir::OpFoldResult rowCount(mlir::Location at);

  bool isStep;
  mlir::Value length, capacity, count; ///< `capacity` and `count` where they are arguments
  llvm::SmallVector<mlir::Value> caches;           ///< each, as it is now
  llvm::DenseMap<mlir::Value, mlir::Value> lists;  ///< of given values
  /// Of cached values: all positions up to those of the call. Of rings in a step: the ring; in a prefill: what is read
  /// in front of the positions of the call, and these.
  llvm::DenseMap<mlir::Value, mlir::Value> filled;
};

/// Copies the body of an op, at positions counted from the first of all: an index i of a position becomes i +
/// length[b], but where it reads a value of the call. The index of a key in a ring becomes the position that lies
/// there.
class ChunkBody {
public:
  /// `row` is the index of the row, called where it is needed, with the builder at the top of the body.
  ChunkBody(ChunkWriter &writer, BodyIndices indices, mlir::Block *top, llvm::function_ref<mlir::Value()> row)
      : writer(writer), indices(indices), top(top), row(row) {}
  /// Says what stands for an index or another argument of the body.
  void bind(mlir::Value old, mlir::Value here);
  /// The attend is over the places of this ring.
  void overRing(const KeptValue *kept) { ring = kept; }
  /// Copies all ops, the terminator too, to the builder's place.
  void copy(mlir::Block &from);
  /// Does the key lie behind the first position of all?
  mlir::Value isPosition(mlir::Value key);

private:
  void copy(mlir::Operation &op);
  void copyExtract(mlir::tensor::ExtractOp extract);
  mlir::Value value(mlir::Value old);
  mlir::Value rowIndex();
  mlir::Value offset();
  mlir::Value positionOfKey(mlir::Value place);
  mlir::Value placeInRing(mlir::Value position, const KeptValue &kept);

  ChunkWriter &writer;
  BodyIndices indices;
  mlir::Block *top;
  llvm::function_ref<mlir::Value()> row;
  mlir::IRMapping mapping;
  llvm::DenseMap<mlir::Value, mlir::Value> ofCall; ///< indices of positions, counted from the first of the call
  llvm::DenseMap<mlir::Value, mlir::Value> places; ///< of key indices in `ring`
  mlir::Value knownRow, knownOffset;
  const KeptValue *ring = nullptr;
};

} // namespace attnc
