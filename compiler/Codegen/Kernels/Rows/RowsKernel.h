//===- RowsKernel.h - base class of the emitters of rows kernels --------------------------------------------------===//
//
// The emitters of rows kernels derive from this class. It has the sizes of the kernel and emits the code of one point
// of a sweep (RowPlan.h); derived classes emit the loops. On a processor, a thread sweeps over a row in vectors
// (CPU/Rows). On a device, the threads of a group alternate over the elements of a row (GPU/Rows).
//
// For each row, a derived class calls openRow(). Then, for each sweep, it calls workOf() and hoistScalars(),
// emitPoint() in its loop, and bindFolds() and bindStored() after the loop.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Rows/RowPlan.h"
#include "compiler/Codegen/Nest/LoopNest.h"

namespace attnc {

class RowsKernel {
protected:
  /// `frame` is opened for `kernel`, whose RowPlan must have the verdict yes; a vector has `lanes` lanes.
  RowsKernel(mlir::func::FuncOp kernel, KernelFrame frame, int64_t lanes);

  /// The reductions and stores of one sweep.
  struct SweepWork {
    /// Results of reductions that are folds by one combiner: the op and the number of its result.
    llvm::SmallVector<std::pair<mlir::linalg::GenericOp, unsigned>> folds;
    llvm::SmallVector<SweepReduction> reductions;                  ///< combiner and element type of each of `folds`
    llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> stores; ///< map and its buffer
    llvm::SmallVector<mlir::linalg::GenericOp> serial;             ///< other reductions, to emit before the loop
  };

  /// Begins row number `row` (index, in row-major order of the row dimensions), or the row with these subscripts. Sets
  /// `at`, and returns a vectoriser that has the frame's buffers bound.
  RegionVectoriser openRow(mlir::Value row);
  RegionVectoriser openRow(llvm::ArrayRef<LaneIndex> row);
  /// `buffers` has an element for each of plan.stored(): the memref to store to, or null to recompute the map instead.
  SweepWork workOf(unsigned sweep, llvm::ArrayRef<mlir::Value> buffers);
  /// After a sweep, binds the maps that it has stored to their buffers, except those that were rounded.
  void bindStored(RegionVectoriser &row, unsigned sweep, llvm::ArrayRef<mlir::Value> buffers) const;
  /// Emits, at the insertion point before the loop of a sweep, all scalars that can be computed there.
  void hoistScalars(RegionVectoriser &row, unsigned sweep);
  /// Emits the code of one vector of elements: stores the maps of the sweep, and appends the term of each of work.folds
  /// (a vector, or a scalar if all lanes are equal) to `terms`.
  void emitPoint(const RegionVectoriser &row, const SweepWork &work, const LanePoint &point,
                 llvm::SmallVector<mlir::Value> &terms);
  /// After a sweep, binds the results of work.folds in `row`. `folded` has a scalar for each: the combination of its
  /// terms over the row, with which the initial value of the result is combined.
  void bindFolds(RegionVectoriser &row, const SweepWork &work, mlir::ValueRange folded);
  /// `folded` (a scalar or a vector) combined with the initial value of result number `result` of `op` by `reduction`;
  /// `folded` itself if the initial value is a neutral constant.
  mlir::Value withStart(RegionVectoriser &row, mlir::linalg::GenericOp op, unsigned result,
                        const SweepReduction &reduction, mlir::Value folded);
  KernelCost cost() const; ///< of a launch

  mlir::func::FuncOp kernel;
  RowPlan plan;
  KernelFrame frame;
  mlir::OpBuilder &b; ///< frame.builder
  mlir::Location loc; ///< frame.location
  int64_t lanes;
  llvm::SmallVector<SizeExpr> rowSizes; ///< sizes of the row dimensions
  SizeExpr rowCount = 1, length;        ///< number of rows; elements of a row
  llvm::SmallVector<LaneIndex> at;      ///< subscripts of the current row
};

} // namespace attnc
