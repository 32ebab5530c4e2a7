//===- PointwiseKernel.h - base classes of the emitters of one linalg.generic -------------------------------------===//
//
// Emitters of a loops kernel that is one linalg.generic derive from these classes. GenericKernel has buffers, stores of
// results, and cost. PointwiseKernel adds the code for points of the parallel loops, with reductions in sequential
// loops. The derived classes:
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

/// One linalg.generic of a kernel. In all functions, `at` has the index of each loop of `op` at the current point, and
/// `vectoriser` has the buffers of the frame bound. Code is emitted at the insertion point of the frame's builder.
class GenericKernel {
protected:
  /// `op` comes from takeComputation(), and `frame` is opened for the function that contains `op`; a vector has `lanes`
  /// lanes.
  GenericKernel(mlir::linalg::GenericOp op, KernelFrame frame, int64_t lanes);

  mlir::Value constant(int64_t value); ///< a constant of type index
  /// Binds the operands of `op` that are arguments with a collapsed shape to views of the arguments' buffers.
  void bindViews(RegionVectoriser &vectoriser);
  /// Evaluates all results of an op without reductions at the point, whose iterations `vectoriser` has bound to `at`,
  /// then stores them. All are evaluated before the first is stored, because a result may overwrite an operand.
  void storeResults(RegionVectoriser &vectoriser, llvm::ArrayRef<LaneIndex> at);
  /// Stores `value`, an element of result number `result` of `op` (a vector or a scalar), after the epilogue if there
  /// is one. A result that the kernel does not return, such as the largest element of an argmax, is not stored.
  void storeResult(RegionVectoriser &vectoriser, mlir::Value value, unsigned result, llvm::ArrayRef<LaneIndex> at);
  /// The subscripts of the element of a result at the point.
  llvm::SmallVector<LaneIndex> resultSubscripts(unsigned result, llvm::ArrayRef<LaneIndex> at);
  /// The cost of a launch, including the epilogue.
  KernelCost cost();

  mlir::linalg::GenericOp op;
  KernelFrame frame;
  mlir::OpBuilder &b; ///< frame.builder
  mlir::Location loc; ///< frame.location
  int64_t lanes;
  llvm::SmallVector<SizeExpr> sizes; ///< size of each loop of `op`
};

/// Adds the code of a tile: one or several vectors of points of the parallel loops.
class PointwiseKernel : protected GenericKernel {
protected:
  /// The schedule is chosen for vectors of `scheduleLanes` elements (scheduleLoops), the code has `lanes` lanes.
  PointwiseKernel(mlir::linalg::GenericOp op, KernelFrame frame, int64_t lanes, int64_t scheduleLanes);

  /// Computes and stores the elements of all results for each of `points`, which have indices of the vectorised loop.
  /// Without points, it computes one element of each result, and the vectorised loop has its index in `indices`. Other
  /// indices are those of `indices`; sequential loops are emitted as loops, or unrolled if they are short. `outside`
  /// has the buffers bound, and the vectorised loop, if there is one, must be parallel.
  void emitTile(const RegionVectoriser &outside, llvm::ArrayRef<LanePoint> points);
  /// The initial value of a reduction: the element of the initial tensor of result number `result`, as a vector if
  /// `vector`, otherwise as loaded.
  mlir::Value startOf(RegionVectoriser &vectoriser, unsigned result, llvm::ArrayRef<LaneIndex> at, bool vector);

  LoopSchedule schedule;
  /// One for each result; empty without reduction loops, and if a result is no fold by a combiner.
  llvm::SmallVector<SweepReduction> reductions;
  llvm::SmallVector<LaneIndex> indices; ///< one for each loop; derived classes set those of outer loops

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
