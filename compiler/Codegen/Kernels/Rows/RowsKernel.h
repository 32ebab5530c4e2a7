//===- RowsKernel.h - a rows kernel, whoever sweeps over its rows ---------------------------------------------===//
//
// What the ways to emit a rows kernel have in common: its sizes, and what happens at a point of a sweep of its RowPlan.
// On a processor a thread sweeps over a row in vectors (Rows.cpp); on a device the threads of a group take points of it
// in turns (GPU/Rows).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Rows/RowPlan.h"
#include "compiler/Codegen/Nest/LoopNest.h"

namespace attnc {

class RowsKernel {
protected:
  RowsKernel(mlir::func::FuncOp kernel, KernelFrame frame, int64_t lanes);

  /// What happens in one sweep.
  struct SweepWork {
    llvm::SmallVector<std::pair<mlir::linalg::GenericOp, unsigned>> folds; ///< reduction and result, in lanes
    llvm::SmallVector<SweepReduction> reductions;
    llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> stores; ///< map and buffer
    llvm::SmallVector<mlir::linalg::GenericOp> serial;             ///< reductions that are no fold of one combiner
  };

  /// Begins row number `row`: `at` has its subscripts.
  RegionVectoriser openRow(mlir::Value row);
  RegionVectoriser openRow(llvm::ArrayRef<LaneIndex> row);
  /// `buffers` has a memref for each map that the plan stores, or null where it is computed again instead.
  SweepWork workOf(unsigned sweep, llvm::ArrayRef<mlir::Value> buffers);
  /// From here on what the sweep has stored is read from there, but for what was rounded.
  void bindStored(RegionVectoriser &row, unsigned sweep, llvm::ArrayRef<mlir::Value> buffers) const;
  /// Computes the scalars that are known before a sweep, outside of its loop.
  void hoistScalars(RegionVectoriser &row, unsigned sweep);
  /// Stores what a sweep stores at `point`, and appends the terms of its folds.
  void emitPoint(const RegionVectoriser &row, const SweepWork &work, const LanePoint &point,
                 llvm::SmallVector<mlir::Value> &terms);
  /// From here on the sweep's reductions are known: the starts of their folds combined with `folded`, scalars.
  void bindFolds(RegionVectoriser &row, const SweepWork &work, mlir::ValueRange folded);
  /// What the fold to result `result` of `op` has come to, with what it starts from; that may be nothing.
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
  SizeExpr rowCount = 1, length;
  llvm::SmallVector<LaneIndex> at; ///< subscripts of the current row
};

} // namespace attnc
