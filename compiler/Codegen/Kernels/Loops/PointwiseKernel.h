//===- PointwiseKernel.h - one linalg.generic of a loops kernel -------------------------------------------------===//
//
// The common part of the emitters of one linalg.generic: buffers, results and cost (GenericKernel), and points of the
// parallel loops with their sequential reductions (PointwiseKernel). The emitters:
//
//   GenericEmission     (CPU/Loops)            one parallel loop in lanes, or a reduction
//   TransposedEmission  (LoopsTransposed.cpp)  an operand is contiguous along another loop than the results: it is read
//                                              in L x L tiles, which are transposed in registers
//   DeviceGeneric       (GPU/Loops)            a thread for each point, or a thread group for each reduction
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Loops/LoopSchedule.h"
#include "compiler/Codegen/Nest/LoopNest.h"

namespace attnc {

class GenericKernel {
protected:
  /// `frame` is that of the function around `op`; a vector has `lanes` lanes.
  GenericKernel(mlir::linalg::GenericOp op, KernelFrame frame, int64_t lanes);

  mlir::Value constant(int64_t value);
  /// Collapsed shapes of arguments are views of their buffers.
  void bindViews(RegionVectoriser &vectoriser);
  /// Evaluates all results at a point, then stores them, as one of them may overwrite an operand.
  void storeResults(RegionVectoriser &vectoriser, llvm::ArrayRef<LaneIndex> at);
  /// Stores an element of result `result` of `op`, through its epilogue. A result that the kernel does not return, such
  /// as the largest element of an argmax, is not stored.
  void storeResult(RegionVectoriser &vectoriser, mlir::Value value, unsigned result, llvm::ArrayRef<LaneIndex> at);
  llvm::SmallVector<LaneIndex> resultSubscripts(unsigned result, llvm::ArrayRef<LaneIndex> at);
  KernelCost cost();

  mlir::linalg::GenericOp op;
  KernelFrame frame;
  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t lanes;
  llvm::SmallVector<SizeExpr> sizes; ///< of the loops
};

/// Points of the parallel loops of `op`: an element of each result in each lane, reductions in sequential loops.
class PointwiseKernel : protected GenericKernel {
protected:
  PointwiseKernel(mlir::linalg::GenericOp op, KernelFrame frame, int64_t lanes, int64_t scheduleLanes);

  /// Computes and stores the elements of the results in each lane of each point, which has an index of the vectorised
  /// loop (no points: one element in all). `outside` has the bindings of the loops around.
  void emitTile(const RegionVectoriser &outside, llvm::ArrayRef<LanePoint> points);
  /// The initial value of result `result`.
  mlir::Value startOf(RegionVectoriser &vectoriser, unsigned result, llvm::ArrayRef<LaneIndex> at, bool vector);

  LoopSchedule schedule;
  llvm::SmallVector<SweepReduction> reductions; ///< of the results; none if one is not a fold by a combiner
  llvm::SmallVector<LaneIndex> indices;         ///< of all loops; derived classes set those around the current point

private:
  using Subscripts = llvm::SmallVector<LaneIndex>;
  llvm::SmallVector<mlir::Value> emitSequential(llvm::ArrayRef<RegionVectoriser> tile, llvm::ArrayRef<Subscripts> at,
                                                unsigned depth, mlir::ValueRange carried);
  /// Whether the sequential loops from `depth` on have few iterations, as a window of 2 x 2, and are unrolled.
  bool isUnrolled(unsigned depth, size_t points);
  llvm::SmallVector<mlir::Value> evaluateOnce(llvm::ArrayRef<RegionVectoriser> tile, llvm::ArrayRef<Subscripts> at,
                                              mlir::ValueRange carried);
};

} // namespace attnc
