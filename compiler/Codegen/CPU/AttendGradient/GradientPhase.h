//===- GradientPhase.h - a phase of a gradient of attention ---------------------------------------------------===//
//
// What both forms of the kernel have in common: which batches a chunk has (GradientProblem.h), its part of the results,
// and how gradients are added to elements of the tensors that a formula reads. Subscripts out of range are clamped and
// not reported: the forward pass, which comes before, has done that.
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
  SizeExpr chunks() const;
  /// Once the phase is emitted.
  SizeExpr workerBytes() const { return scratch.bytes; }

protected:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  GradientPhase(const GradientProblem &problem, int64_t lanes, llvm::StringRef symbol, mlir::ModuleOp code);

  void openChunk(Value number);
  /// Binds the batch's indices in `batch`, for each one that the chunk has.
  void forEachBatch(llvm::function_ref<void()> body);
  SizeExpr batchesOfChunk() const; ///< at most
  /// Zeros in the chunk's part of all results; those that `mayClear` gives a condition for, where it holds.
  void clearResults(llvm::function_ref<Value(unsigned result)> mayClear = nullptr);
  void clearRun(Value flat, Value begin, Value end);

  /// The formulas of a row, or of a key, of the batch.
  RegionVectoriser bindRow(Value row);
  RegionVectoriser bindKey(Value key);
  /// Adds a vector of gradients, of which the active lanes count, to the elements that `extract` has read. Where
  /// `isFirst` is given and holds, consecutive elements are stored, whatever they are.
  void addGradient(unsigned result, mlir::tensor::ExtractOp extract, RegionVectoriser &at, Value gradient,
                   Value isFirst = {});

  /// Adds the terms of a formula whose cotangent is given, in the active lanes.
  void addScope(const GradientScope &scope, RegionVectoriser &at, Value cotangent);

  const AttendProblem &attend;
  KernelFrame frame;
  FlatBuilder loops;
  AttendScratch scratch;
  RegionVectoriser base;                   ///< sizes and buffers are bound
  std::optional<RegionVectoriser> batch;   ///< and the batch indices
  Values outerSizes, keySizes;             ///< index
  Value rows, keys;                        ///< their products
  Values firstOfBatchDim, countOfBatchDim; ///< [batch dimension]: the chunk's part
  Values memberOfBatchDim;                 ///< [batch dimension]: the batch's among the chunk's
  Value batchChunk, batchOfChunk;          ///< the chunk's number; the batch's among those of the chunk

private:
  void clearResult(unsigned result);
  void addAt(Value memref, llvm::ArrayRef<LaneIndex> subscripts, mlir::ValueRange bases, RegionVectoriser &at,
             Value gradient, Value isFirst);
  void addToRun(Value memref, ValueRange place, Value gradient, Value active, Value isFirst);
  void addApart(Value memref, llvm::ArrayRef<LaneIndex> subscripts, Value gradient, Value active);
  void addOneByOne(Value memref, llvm::ArrayRef<LaneIndex> subscripts, RegionVectoriser &at, Value gradient,
                   Value active);

  const GradientProblem &problem;
};

} // namespace attnc
