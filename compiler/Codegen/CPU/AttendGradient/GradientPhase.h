//===- GradientPhase.h - a kernel phase of the gradient of attention: chunks, batches and index bindings ----------===//
//
// Both algorithms of the gradient, tiles (Tiled/TiledGradient.h) and pairs (PairwiseGradient.h), have the same chunks
// (GradientProblem.h). The batches of a chunk are computed in order, and each chunk has a range of the results. A
// batch has rows (queries) and keys. Out-of-range subscripts are not reported here, because the forward pass has
// reported them. All functions that return Value emit code; values are of type index, unless a comment states another
// type.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendScratch.h"
#include "compiler/Codegen/CPU/AttendGradient/GradientProblem.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "compiler/Codegen/Nest/FlatBuilder.h"

namespace attnc {

class GradientPhase {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  /// Opens the phase's function `symbol` in `code`; the caller emits its body. `lanes` is the number of f32 lanes of a
  /// vector. The object refers to `problem`.
  GradientPhase(const GradientProblem &problem, int64_t lanes, llvm::StringRef symbol, mlir::ModuleOp code);

  /// The number of chunks, at least 1, because the results have to be cleared even if there are no batches.
  SizeExpr chunks() const;
  SizeExpr batchesOfChunk() const; ///< the largest number of batches of a chunk
  /// Bytes of a worker's scratch. Valid after the body is emitted.
  SizeExpr workerBytes() const { return scratch.bytes; }

  /// Computes the range of batches of chunk `number`. Called once, before the functions below.
  void openChunk(Value number);
  /// Emits loops over the batches of the chunk, with `body` inside. While `body` runs, a batch is open: `batch`,
  /// memberOfBatchDim and batchOfChunk are set.
  void forEachBatch(llvm::function_ref<void()> body);
  /// Emits stores of zeros in the chunk's range of all results. `conditionOf` may return an i1 for a result, which is
  /// then cleared only if this is true at run time; null: it is cleared always.
  void clearResults(llvm::function_ref<Value(unsigned result)> conditionOf = nullptr);
  /// Emits stores of zeros in elements begin .. end - 1 of a flat memref of f32.
  void clearRun(Value flat, Value begin, Value end);

  /// The formulas of the open batch bound to a row, or to a key, by its number in the batch: the same row or key in all
  /// lanes.
  RegionVectoriser bindRow(Value row);
  RegionVectoriser bindKey(Value key);
  /// The product of the factors PairReduction::scales of `product` in the open batch, a scalar f32.
  Value scaleOf(const PairReduction &product);

  const AttendProblem &attend;
  KernelFrame frame;
  FlatBuilder loops;
  AttendScratch scratch;
  std::optional<RegionVectoriser> batch; ///< the formulas with the indices of the open batch bound
  Values outerSizes, keySizes;           ///< the sizes of each outer and each key dimension of the attn.attend
  Value rows, keys;                      ///< the numbers of rows and of keys of a batch
  Values memberOfBatchDim;               ///< [batchDims]: the index of the open batch, minus the first one of the chunk
  Value batchChunk, batchOfChunk;        ///< the chunk's number; the open batch's number, below batchesOfChunk()

private:
  void clearResult(unsigned result);

  const GradientProblem &problem;
  RegionVectoriser base;                   ///< sizes and buffers are bound
  Values firstOfBatchDim, countOfBatchDim; ///< [GradientProblem::batchDims]: the chunk's range of indices
};

} // namespace attnc
