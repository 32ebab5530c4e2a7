//===- GradientPhase.h - a phase of a gradient kernel: chunks, batches and indices ----------------------------===//
//
// Both algorithms of the gradient, tiles and pairs, have the same chunks (GradientProblem.h): the batches of a chunk
// are computed in order, and each chunk clears its range of the results.
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

  GradientPhase(const GradientProblem &problem, int64_t lanes, llvm::StringRef symbol, mlir::ModuleOp code);

  SizeExpr chunks() const;
  SizeExpr batchesOfChunk() const; ///< at most
  /// Known after the phase is emitted.
  SizeExpr workerBytes() const { return scratch.bytes; }

  void openChunk(Value number);
  /// Binds the indices in `batch` of each batch of the chunk.
  void forEachBatch(llvm::function_ref<void()> body);
  /// Stores zeros in the chunk's range of all results; under a condition, where `conditionOf` returns one.
  void clearResults(llvm::function_ref<Value(unsigned result)> conditionOf = nullptr);
  void clearRun(Value flat, Value begin, Value end);

  /// The formulas of a row, or of a key, of the batch.
  RegionVectoriser bindRow(Value row);
  RegionVectoriser bindKey(Value key);
  /// The factor of a product, f32.
  Value scaleOf(const PairReduction &product);

  const AttendProblem &attend;
  KernelFrame frame;
  FlatBuilder loops;
  AttendScratch scratch;
  std::optional<RegionVectoriser> batch; ///< the batch indices are bound
  Values outerSizes, keySizes;           ///< index
  Value rows, keys;                      ///< their products
  Values memberOfBatchDim;               ///< [batch dimension]: the batch's index among those of the chunk
  Value batchChunk, batchOfChunk;        ///< the chunk's number; the batch's among those of the chunk

private:
  void clearResult(unsigned result);

  const GradientProblem &problem;
  RegionVectoriser base;                   ///< sizes and buffers are bound
  Values firstOfBatchDim, countOfBatchDim; ///< [batch dimension]: the chunk's range
};

} // namespace attnc
