//===- GradientPhase.h - a phase of a gradient kernel: chunks, batches and indices ----------------------------===//
//
// Both algorithms of the gradient, tiles and pairs, have the same chunks (GradientProblem.h): the batches of a chunk
// are computed in order, and each chunk clears its range of the results. Out-of-range subscripts are not reported here,
// as the forward pass has reported them.
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

  /// Opens the phase's function `symbol` in `code`, whose body the caller emits.
  GradientPhase(const GradientProblem &problem, int64_t lanes, llvm::StringRef symbol, mlir::ModuleOp code);

  /// The number of chunks, at least 1 (without batches, results are still cleared).
  SizeExpr chunks() const;
  SizeExpr batchesOfChunk() const; ///< the most batches of a chunk
  /// Valid after the phase is emitted.
  SizeExpr workerBytes() const { return scratch.bytes; }

  /// Computes which batches chunk `number` has. Called before all below.
  void openChunk(Value number);
  /// Emits loops over the batches of the chunk, with `body` inside; sets `batch` and the values below it for `body`.
  void forEachBatch(llvm::function_ref<void()> body);
  /// Stores zeros in the chunk's range of all results; only under a condition (i1) if `conditionOf` returns one, not
  /// null.
  void clearResults(llvm::function_ref<Value(unsigned result)> conditionOf = nullptr);
  /// Stores zeros in elements begin .. end - 1 of a flat memref of f32.
  void clearRun(Value flat, Value begin, Value end);

  /// The formulas of the open batch bound to a row, or to a key, by its number in the batch, the same in all lanes.
  RegionVectoriser bindRow(Value row);
  RegionVectoriser bindKey(Value key);
  /// The factor of a product in the open batch (PairReduction::scales), f32.
  Value scaleOf(const PairReduction &product);

  const AttendProblem &attend;
  KernelFrame frame;
  FlatBuilder loops;
  AttendScratch scratch;
  std::optional<RegionVectoriser> batch; ///< the batch indices are bound
  Values outerSizes, keySizes;           ///< of each dimension
  Value rows, keys;                      ///< their numbers in a batch
  Values memberOfBatchDim;               ///< [GradientProblem::batchDims]: the batch's index minus the chunk's first
  Value batchChunk, batchOfChunk;        ///< the number of the chunk; that of the batch, below batchesOfChunk()

private:
  void clearResult(unsigned result);

  const GradientProblem &problem;
  RegionVectoriser base;                   ///< sizes and buffers are bound
  Values firstOfBatchDim, countOfBatchDim; ///< [GradientProblem::batchDims]: the chunk's range of indices
};

} // namespace attnc
