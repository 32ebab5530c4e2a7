//===- ChunkValues.h - map from values of f to values of next and next_prefill ------------------------------------===//
//
// ChunkValues is the common base of the writers of next and next_prefill, the entry points derived from f
// (Incremental.h). For a value of f it provides the value in the new function ("here"), restricted to the positions of
// the call. If a value of f depends on the length of a row but has no dimension of rows (PositionFact::perRow), its
// value here has a leading dimension of rows.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/EntryPointWriter.h"

namespace attnc {

class ChunkValues : public EntryPointWriter {
public:
  /// With `isStep` the function is next, where the call has one position, a constant; otherwise next_prefill.
  ChunkValues(IncrementalPlan &plan, bool isStep)
      : EntryPointWriter(plan, isStep ? plan.name : plan.name + "_prefill"), isStep(isStep) {}

  /// The type here of `value`, a tensor of f; with a leading dimension of rows if `isPerRow`.
  mlir::RankedTensorType typeOf(mlir::Value value, bool isPerRow);
  mlir::RankedTensorType typeOf(mlir::Value value) { return typeOf(value, isPerRow(value)); }
  /// The extents of that type; all must be known here (hasSizes).
  llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::Value value, bool isPerRow);
  /// A tensor.empty of that type.
  mlir::Value emptyLike(mlir::Value value, bool isPerRow);
  /// True if the dimensions of the new function determine all extents of a tensor of f.
  bool hasSizes(mlir::Value value);
  /// The size here that corresponds to a size of f: for the number of all positions, that of the call.
  mlir::OpFoldResult sizeHere(mlir::OpFoldResult size, mlir::Location at);
  bool isPerRow(mlir::Value value) { return analysis.fact(value).perRow; }
  /// The dimension of rows, here, of a tensor of f; null if it has none.
  std::optional<unsigned> rowDimHere(mlir::Value value) {
    return isPerRow(value) ? std::optional(0u) : dims.rowDim(value);
  }
  /// The tensor here that corresponds to a tensor of f, which must have been copied or be a result of next_begin: its
  /// copy, or this result, in a loop the element of its list, which is read anew by each call. With `isPerRow`, it is
  /// broadcast along a leading dimension of rows if it has none.
  mlir::Value tensor(mlir::Value value);
  mlir::Value tensor(mlir::Value value, bool isPerRow);
  /// The number of rows, an `index`; f must have rows.
  mlir::OpFoldResult rowCount(mlir::Location at);

  bool isStep;
  /// The arguments for the lengths of rows (i32), the numbers of positions of the call (i32) and the blocks of rows
  /// (i32), and the capacity (`index`), which is read from a cache or the table. `capacity` is null if all caches are
  /// rings; `count` in next, and without ring caches and paged caches; `table` without paged caches.
  mlir::Value length, capacity, count, table;
  llvm::DenseMap<mlir::Value, mlir::Value> lists; ///< arguments for the results of next_begin, by value of f
  /// By value of f that is cached: a tensor with all its positions up to the last one of the call. For a ring cache: in
  /// next the ring; in next_prefill the `window` positions before the call, followed by those of the call.
  llvm::DenseMap<mlir::Value, mlir::Value> cacheContents;
};

} // namespace attnc
