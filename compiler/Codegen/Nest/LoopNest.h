//===- LoopNest.h - loops that emitters are made of -----------------------------------------------------------===//
//
// A sweep runs over [lower, upper) in vectors, `unroll` of them at a time, and ends in a masked loop for what is left:
//
//   for j in steps of unroll * lanes        points j, j + lanes, ...   accumulators: unroll for each reduction
//   merge the accumulators pairwise
//   for j in steps of lanes                 one masked point           one accumulator for each reduction
//
// The order of additions depends on the sizes alone. Several accumulators hide the latency of the additions, which is
// what makes a long row run at the speed of memory.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Fold.h"
#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "compiler/Codegen/Nest/KernelFrame.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attnc {

/// scf.for from `lower` to `upper`, with the body's results carried on.
llvm::SmallVector<mlir::Value>
loop(mlir::OpBuilder &builder, mlir::Location location, mlir::Value lower, mlir::Value upper, int64_t step,
     mlir::ValueRange carried,
     llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value index, mlir::ValueRange carried)> body);

/// L consecutive points of a sweep.
struct LanePoint {
  LaneIndex index;
  mlir::Value active; ///< how many lanes are wanted (index); null for all
};

struct SweepReduction {
  mlir::attn::Combine kind;
  mlir::Type element;
};

struct SweepShape {
  int64_t lanes;
  int64_t unroll;
  std::optional<int64_t> length; ///< where upper - lower is known
};

/// `body` gives the terms, point by point and for each point reduction by reduction (scalars are the same in all
/// lanes). Returns a vector of partial results for each reduction, whose lanes are still to be combined.
llvm::SmallVector<mlir::Value>
sweep(mlir::OpBuilder &builder, mlir::Location location, mlir::Value lower, mlir::Value upper, SweepShape shape,
      llvm::ArrayRef<SweepReduction> reductions,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<LanePoint>)> body);

/// The lanes of `vector`, combined in a fixed order.
mlir::Value combineLanes(mlir::OpBuilder &builder, mlir::Location location, mlir::attn::Combine kind,
                         mlir::Value vector);

/// Subscripts of element `number` of a row-major space of these sizes, each uniform.
llvm::SmallVector<LaneIndex> subscriptsOf(mlir::OpBuilder &builder, mlir::Location location, mlir::Value number,
                                          mlir::ValueRange sizes);

/// Sizes of the loops of `op`, from the shapes of its operands.
llvm::SmallVector<SizeExpr> loopSizes(mlir::linalg::GenericOp op, const KernelSizes &sizes);

} // namespace attnc
