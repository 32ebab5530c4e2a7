//===- LoopNest.h - vectorised sweeps and loops over row-major spaces -------------------------------------------===//
//
// A sweep runs over [lower, upper) in vectors, `unroll` of them at a time. If its length is constant, the remainder is
// unrolled, and only its last vector is masked:
//
//   for j in steps of unroll * lanes        points j, j + lanes, ...   accumulators: unroll for each reduction
//   points j, j + lanes, ..                 fewer than unroll          the same accumulators
//   merge the accumulators pairwise
//
// Otherwise a masked loop after the merge computes the remainder:
//
//   for j in steps of lanes                 one masked point           one accumulator for each reduction
//
// The order of additions depends on the sizes alone. Several accumulators hide the latency of the additions, so that a
// long row runs at the speed of memory.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/Fold.h"
#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "compiler/Codegen/Nest/KernelFrame.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attnc {

/// scf.for over [lower, upper); `body` returns the next loop-carried values, which start as `carried`. Returns the last
/// ones.
llvm::SmallVector<mlir::Value>
loop(mlir::OpBuilder &builder, mlir::Location location, mlir::Value lower, mlir::Value upper, int64_t step,
     mlir::ValueRange carried,
     llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value index, mlir::ValueRange carried)> body);

/// L consecutive points of a sweep, one for each lane.
struct LanePoint {
  LaneIndex index;    ///< of the points: the first one plus the lane
  mlir::Value active; ///< number of active lanes (index); null for all
};

/// A reduction of a sweep: combiner, and type of its scalar elements.
struct SweepReduction {
  mlir::attn::Combine kind;
  mlir::Type element;
};

struct SweepShape {
  int64_t lanes;                 ///< of a vector
  int64_t unroll;                ///< vectors of an iteration
  std::optional<int64_t> length; ///< upper - lower, if it is constant
};

/// Emits the sweep over [lower, upper) (index). `body` emits the points of one iteration, or fewer in the remainder,
/// and returns their terms, [point][reduction], vectors, or scalars that are the same in all lanes; inactive lanes are
/// ignored. Returns a vector of partial results for each reduction, whose lanes are not combined yet.
llvm::SmallVector<mlir::Value>
sweep(mlir::OpBuilder &builder, mlir::Location location, mlir::Value lower, mlir::Value upper, SweepShape shape,
      llvm::ArrayRef<SweepReduction> reductions,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<LanePoint>)> body);

/// The lanes of `vector`, combined in a fixed order to a scalar. A maximum or minimum is NaN if a lane is.
mlir::Value combineLanes(mlir::OpBuilder &builder, mlir::Location location, mlir::attn::Combine kind,
                         mlir::Value vector);

/// Subscripts of element `number` (index) of a row-major space of these sizes (index, outermost first), each uniform.
llvm::SmallVector<LaneIndex> subscriptsOf(mlir::OpBuilder &builder, mlir::Location location, mlir::Value number,
                                          mlir::ValueRange sizes);

/// Emits loops over the elements [first, end) of such a space, in order; `body` emits the code of one element. A loop
/// over the last dimension is nested in one over the others, so that divisions are done once a row, and so is all that
/// does not depend on the last dimension.
void eachElement(mlir::OpBuilder &builder, mlir::Location location, mlir::Value first, mlir::Value end,
                 mlir::ValueRange sizes, llvm::function_ref<void(llvm::ArrayRef<LaneIndex> subscripts)> body);

/// Lanes for a sweep of this length: `lanes`, or, if a constant length is shorter, the next power of two, at least 2. A
/// masked load of a full vector would also have to wait for the stores of the previous iteration that overlap it.
int64_t lanesFor(const SizeExpr &length, int64_t lanes);

/// Sizes of the loops of `op`, from the shapes of its operands; 0 for a loop that is no plain subscript of an operand.
llvm::SmallVector<SizeExpr> loopSizes(mlir::linalg::GenericOp op, const KernelSizes &sizes);

} // namespace attnc
