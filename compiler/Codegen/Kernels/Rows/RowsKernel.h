//===- RowsKernel.h - the common part of the emitters of rows kernels -------------------------------------------===//
//
// Sizes of a rows kernel, and the code of one element of a sweep of its RowPlan. On a processor a thread sweeps over a
// row in vectors (CPU/Rows); on a device the threads of a group alternate over its elements (GPU/Rows).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Rows/RowPlan.h"
#include "compiler/Codegen/Nest/LoopNest.h"

namespace attnc {

class RowsKernel {
protected:
  RowsKernel(mlir::func::FuncOp kernel, KernelFrame frame, int64_t lanes);

  /// The reductions and stores of one sweep.
  struct SweepWork {
    llvm::SmallVector<std::pair<mlir::linalg::GenericOp, unsigned>> folds; ///< reduction and result, in lanes
    llvm::SmallVector<SweepReduction> reductions;
    llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> stores; ///< map and buffer
    llvm::SmallVector<mlir::linalg::GenericOp> serial;             ///< reductions that are not a fold of one combiner
  };

  /// Begins row number `row`, or the row with these subscripts, which `at` then has; returns its formulas.
  RegionVectoriser openRow(mlir::Value row);
  RegionVectoriser openRow(llvm::ArrayRef<LaneIndex> row);
  /// `buffers` has a memref for each map that the plan stores, or null if it is recomputed instead.
  SweepWork workOf(unsigned sweep, llvm::ArrayRef<mlir::Value> buffers);
  /// Binds the maps that the sweep has stored to their buffers, except those that were rounded.
  void bindStored(RegionVectoriser &row, unsigned sweep, llvm::ArrayRef<mlir::Value> buffers) const;
  /// Computes the scalars that are available before a sweep, outside of its loop.
  void hoistScalars(RegionVectoriser &row, unsigned sweep);
  /// Stores the maps of a sweep at `point`, and appends the terms of its folds.
  void emitPoint(const RegionVectoriser &row, const SweepWork &work, const LanePoint &point,
                 llvm::SmallVector<mlir::Value> &terms);
  /// Binds the sweep's reductions: the initial values of their folds combined with `folded`, scalars.
  void bindFolds(RegionVectoriser &row, const SweepWork &work, mlir::ValueRange folded);
  /// `folded` combined with the initial value of result `result` of `op`, unless that is neutral.
  mlir::Value withStart(RegionVectoriser &row, mlir::linalg::GenericOp op, unsigned result,
                        const SweepReduction &reduction, mlir::Value folded);
  KernelCost cost() const;

  mlir::func::FuncOp kernel;
  RowPlan plan;
  KernelFrame frame;
  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t lanes;
  llvm::SmallVector<SizeExpr> rowSizes;
  SizeExpr rowCount = 1, length;   ///< number of rows; elements of a row
  llvm::SmallVector<LaneIndex> at; ///< subscripts of the current row
};

} // namespace attnc
