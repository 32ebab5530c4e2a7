//===- ArgmaxReduction.h - vectorised argmax reductions ---------------------------------------------------------===//
//
// An argmax (or argmin) reduction carries two values, the best element so far and its index. Only a better element
// replaces it, so that among equal elements the lowest index wins, and a NaN never does (> is < for an argmin):
//
//   better = x[i] > best        best = better ? x[i] : best        index = better ? i : index
//
// Each lane has the best of its own elements, and each unrolled vector has such lanes of its own. At the end
//
//   best  = max over lanes of best[l]            index = min over lanes with best[l] = best of index[l]
//
// which is the same index: a lane whose best equals the overall best has the first of its elements that does.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/LoopNest.h"

namespace attnc {

/// A linalg.generic with two results, folded as above over its last loop, its only reduction loop.
struct ArgmaxReduction {
  bool isLargest;          ///< argmax, not argmin
  mlir::Value term, index; ///< values of its region: x[i] (a float or an integer), and i as i32
};
/// Null if `op` has another form.
std::optional<ArgmaxReduction> matchArgmax(mlir::linalg::GenericOp op);

/// Scalars or vectors: an element and its index (i32).
struct BestAndIndex {
  mlir::Value best, index;
};

/// Emits the reduction over [lower, upper); `shape.length` is not used. `evaluate` returns the term and the index of a
/// point, each a vector, or a scalar if it is the same in all lanes. Returns scalars: `start` if no element is better.
BestAndIndex sweepArgmax(mlir::OpBuilder &builder, mlir::Location location, mlir::Value lower, mlir::Value upper,
                         SweepShape shape, const ArgmaxReduction &fold, BestAndIndex start,
                         llvm::function_ref<BestAndIndex(const LanePoint &)> evaluate);

} // namespace attnc
