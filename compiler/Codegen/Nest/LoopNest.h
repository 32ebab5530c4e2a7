//===- LoopNest.h - loops that emitters are made of -----------------------------------------------------------===//
//
// A sweep runs over [lower, upper) in vectors, `unroll` of them at a time. Where its length is known, what is left is
// written out, and its last vector alone is masked:
//
//   for j in steps of unroll * lanes        points j, j + lanes, ...   accumulators: unroll for each reduction
//   points j, j + lanes, ..                 fewer than unroll          the same accumulators
//   merge the accumulators pairwise
//
// Where it is not, a masked loop takes what is left, behind the merge:
//
//   for j in steps of lanes                 one masked point           one accumulator for each reduction
//
// The order of additions depends on the sizes alone. Several accumulators hide the latency of the additions, which is
// what makes a long row run at the speed of memory.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/Fold.h"
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

/// Elements [first, end) of such a space, in order. A loop over the last dimension lies inside one over the others, so
/// that what divides is done once a row, and what the last dimension leaves as it is can be done there, too.
void eachElement(mlir::OpBuilder &builder, mlir::Location location, mlir::Value first, mlir::Value end,
                 mlir::ValueRange sizes, llvm::function_ref<void(llvm::ArrayRef<LaneIndex> subscripts)> body);

/// Lanes for a sweep of this length: as many as there are, but no more than a short one fills. Narrow vectors also
/// meet what the iteration before has stored beside them, for which a masked load would have to wait.
int64_t lanesFor(const SizeExpr &length, int64_t lanes);

/// Sizes of the loops of `op`, from the shapes of its operands.
llvm::SmallVector<SizeExpr> loopSizes(mlir::linalg::GenericOp op, const KernelSizes &sizes);

} // namespace attnc
