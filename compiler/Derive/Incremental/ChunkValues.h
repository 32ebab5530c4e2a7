//===- ChunkValues.h - values of next and next_prefill ------------------------------------------------------------===//
//
// Provides the values of the new entry point that correspond to values of f: those of the positions of the call. A
// value of f without a dimension of rows that depends on the length of a row (PositionFact::perRow) gains one, in
// front.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/EntryPointWriter.h"

namespace attnc {

class ChunkValues : public EntryPointWriter {
public:
  /// `isStep`: of next, for a constant one position; else of next_prefill.
  ChunkValues(IncrementalPlan &plan, bool isStep)
      : EntryPointWriter(plan, isStep ? plan.name : plan.name + "_prefill"), isStep(isStep) {}

  /// The type of `value`, a tensor of f, here; with a leading dimension of rows if `isPerRow`.
  mlir::RankedTensorType typeOf(mlir::Value value, bool isPerRow);
  mlir::RankedTensorType typeOf(mlir::Value value) { return typeOf(value, isPerRow(value)); }
  llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::Value value, bool isPerRow);
  mlir::Value emptyLike(mlir::Value value, bool isPerRow);
  /// Whether all sizes of a tensor of f are known here.
  bool hasSizes(mlir::Value value);
  /// A size of f here: the positions of the call instead of all positions.
  mlir::OpFoldResult sizeHere(mlir::OpFoldResult size, mlir::Location at);
  bool isPerRow(mlir::Value value) { return analysis.fact(value).perRow; }
  /// The tensor here that corresponds to a tensor of f; with a dimension of rows if `isPerRow`.
  mlir::Value tensor(mlir::Value value);
  mlir::Value tensor(mlir::Value value, bool isPerRow);
  mlir::OpFoldResult rowCount(mlir::Location at);

  bool isStep;
  mlir::Value length, capacity, count;            ///< `capacity` and `count` are null unless they are arguments
  llvm::DenseMap<mlir::Value, mlir::Value> lists; ///< arguments for the results of next_begin, by value of f
  /// Contents of caches: all positions up to those of the call. If the cache is a ring buffer: in next the ring; in
  /// next_prefill the `window` positions before the call, and those of the call.
  llvm::DenseMap<mlir::Value, mlir::Value> cacheContents;
};

} // namespace attnc
