//===- LoopNest.h - vectorised sweeps and loops over row-major spaces ---------------------------------------------===//
//
// A sweep is one vectorised pass over the elements of a row, for maps and reductions. An iteration handles `unroll`
// vectors of `lanes` elements; for each vector and each reduction there is one accumulator, a vector. If the length of
// the row is constant, the remainder is unrolled, and only its last vector is masked:
//
//   for j in steps of unroll * lanes        vectors at j, j + lanes, ...   unroll accumulators for each reduction
//   remainder                               at most unroll vectors         the first of these accumulators
//   merge the accumulators pairwise
//
// Otherwise a masked loop after the merge computes the remainder:
//
//   for j in steps of lanes                 one masked vector              one accumulator for each reduction
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

/// scf.for over [lower, upper) by `step`, with bounds of type index. `body` emits an iteration and returns the next
/// loop-carried values, which start as `carried`. Returns the values after the last iteration.
llvm::SmallVector<mlir::Value>
loop(mlir::OpBuilder &builder, mlir::Location location, mlir::Value lower, mlir::Value upper, int64_t step,
     mlir::ValueRange carried,
     llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value index, mlir::ValueRange carried)> body);

/// Consecutive elements of a sweep, one in each lane of a vector.
struct LanePoint {
  LaneIndex index;    ///< the element's index in each lane: that of lane 0 plus the lane number
  mlir::Value active; ///< number of active lanes, the first ones (index); null: all are active
};

/// A reduction of a sweep: its combiner, and the scalar type of its terms.
struct SweepReduction {
  mlir::attn::Combine kind;
  mlir::Type element;
};

struct SweepShape {
  int64_t lanes;                 ///< elements of a vector
  int64_t unroll;                ///< vectors of an iteration
  std::optional<int64_t> length; ///< upper - lower if it is constant, at least 0; then sweep() does not read `upper`
};

/// Emits the sweep over the elements [lower, upper), of type index, lower <= upper. `body` receives the vectors of one
/// iteration as LanePoints. It is called at most twice: with `unroll` of them for whole iterations, and with at most as
/// many for the remainder. It emits their code and returns the terms: first those of all reductions for the first
/// point, then for the next one, and so on. A term is a vector, or a scalar that is equal in all lanes; its inactive
/// lanes are ignored. sweep() returns a vector for each reduction; its lanes are partial results, which combineLanes()
/// combines. An empty sweep returns neutral elements.
llvm::SmallVector<mlir::Value>
sweep(mlir::OpBuilder &builder, mlir::Location location, mlir::Value lower, mlir::Value upper, SweepShape shape,
      llvm::ArrayRef<SweepReduction> reductions,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<LanePoint>)> body);

/// Combines the lanes of `vector` (floats or integers) by `kind` to a scalar, in a fixed order. The maximum or minimum
/// of floats is NaN if a lane is NaN; of zeros with both signs it is either one.
mlir::Value combineLanes(mlir::OpBuilder &builder, mlir::Location location, mlir::attn::Combine kind,
                         mlir::Value vector);

/// Emits the subscripts of element `number` (index) in row-major order of a space of these sizes (index, outermost
/// first). The element must exist. All subscripts are uniform.
llvm::SmallVector<LaneIndex> subscriptsOf(mlir::OpBuilder &builder, mlir::Location location, mlir::Value number,
                                          mlir::ValueRange sizes);

/// Emits loops over the elements with numbers [first, end) (index) of such a space, in row-major order; `body` emits
/// the code of one element, whose subscripts are uniform. A loop over the last dimension is nested in a loop over the
/// others. Divisions, and other code that does not depend on the last subscript, are therefore executed once a row.
void eachElement(mlir::OpBuilder &builder, mlir::Location location, mlir::Value first, mlir::Value end,
                 mlir::ValueRange sizes, llvm::function_ref<void(llvm::ArrayRef<LaneIndex> subscripts)> body);

/// The number of lanes for a sweep of this length on a target with vectors of `lanes` elements. If the length is a
/// constant from 1 to `lanes`, the result is the length rounded up to a power of two, at least 2; otherwise `lanes`.
/// With full vectors, each masked load would wait for overlapping stores of the previous iteration.
int64_t lanesFor(const SizeExpr &length, int64_t lanes);

/// The sizes of the loops of `op`, an op of the kernel with these `sizes`, by loop number. They are read from the
/// shapes of its operands; 0 for a loop whose index is not by itself a subscript of an operand.
llvm::SmallVector<SizeExpr> loopSizes(mlir::linalg::GenericOp op, const KernelSizes &sizes);

} // namespace attnc
