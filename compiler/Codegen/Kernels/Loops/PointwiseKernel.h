//===- PointwiseKernel.h - one linalg.generic of a loops kernel -------------------------------------------------===//
//
// What the ways to emit one linalg.generic have in common: buffers, results and cost (GenericKernel), and points of the
// parallel loops with their sequential reductions (PointwiseKernel). The ways:
//
//   GenericEmission  (CPU/Loops)        one parallel loop in lanes, or a reduction
//   TurnedEmission   (LoopsTurned.cpp)  an operand is contiguous along another loop than the results: it is read in
//                                       L x L tiles, which are transposed in registers
//   DeviceGeneric    (GPU/Loops)        a thread a point, or a group of threads a reduction
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Loops/LoopSchedule.h"
#include "compiler/Codegen/Nest/LoopNest.h"

namespace attnc {

class GenericKernel {
protected:
  /// `frame` is that of the function that holds `op`.
  GenericKernel(mlir::linalg::GenericOp op, KernelFrame frame, int64_t lanes);

  mlir::Value constant(int64_t value);
  /// Collapsed shapes of arguments are views of their buffers.
  void bindViews(RegionVectoriser &vectoriser);
  /// Stores an element of result `result` where the kernel returns it, in the shape that `op` writes; what the kernel
  /// keeps to itself, such as the largest value beside its position, stays in registers.
  /// Evaluates all results at a point, then stores them: one of them may lie where an operand does.
  void storeResults(RegionVectoriser &vectoriser, llvm::ArrayRef<LaneIndex> at);
  void storeResult(RegionVectoriser &vectoriser, mlir::Value value, unsigned result, llvm::ArrayRef<LaneIndex> at);
  llvm::SmallVector<LaneIndex> subscriptsOfResult(unsigned result, llvm::ArrayRef<LaneIndex> at);
  KernelCost cost();

  mlir::linalg::GenericOp op;
  KernelFrame frame;
  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t lanes;
  llvm::SmallVector<SizeExpr> sizes; ///< of the loops
};

/// Points of the parallel loops of `op`: an element of each result a lane, reductions in sequential loops.
class PointwiseKernel : protected GenericKernel {
protected:
  PointwiseKernel(mlir::linalg::GenericOp op, KernelFrame frame, int64_t lanes, int64_t lanesOfSchedule);

  /// One element of the results a lane of each point (no points: one element in all), stored.
  void emitTile(const RegionVectoriser &outside, llvm::ArrayRef<LanePoint> points);
  /// What result `result` is folded from.
  mlir::Value startOf(RegionVectoriser &vectoriser, unsigned result, llvm::ArrayRef<LaneIndex> at, bool vector);

  LoopSchedule schedule;
  llvm::SmallVector<SweepReduction> reductions; ///< of the results; none where one is no fold by a combiner
  llvm::SmallVector<LaneIndex> indices;         ///< of the loops around the current place

private:
  using Subscripts = llvm::SmallVector<LaneIndex>;
  llvm::SmallVector<mlir::Value> emitSequential(llvm::ArrayRef<RegionVectoriser> tile, llvm::ArrayRef<Subscripts> at,
                                                unsigned depth, mlir::ValueRange carried);
  /// Whether the sequential loops from `depth` on are few iterations, as a window of 2 x 2, and need no loop.
  bool isWrittenOut(unsigned depth, size_t points);
  llvm::SmallVector<mlir::Value> evaluateOnce(llvm::ArrayRef<RegionVectoriser> tile, llvm::ArrayRef<Subscripts> at,
                                              mlir::ValueRange carried);
};

} // namespace attnc
