//===- ArgmaxReduction.h - vectorised argmax reductions ---------------------------------------------------------===//
//
// An argmax (or argmin) reduction carries two values, the best element so far and its index. Only a better element
// replaces it, so that the lowest index wins and a NaN never does:
//
//   better = x[i] > best        best = better ? x[i] : best        index = better ? i : index
//
// Each lane has the best of its own elements, and so does each unrolled vector. At the end
//
//   best  = max over lanes of best[l]            index = min over lanes with best[l] = best of index[l]
//
// which is the same index: a lane whose best equals the overall best has the first of its elements that does.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/LoopNest.h"

namespace attnc {

/// A linalg.generic with two results, folded as above over its last loop.
struct ArgmaxReduction {
  bool isLargest;
  mlir::Value term, index; ///< inside the region
};
std::optional<ArgmaxReduction> matchArgmax(mlir::linalg::GenericOp op);

struct BestAndIndex {
  mlir::Value best, index;
};

/// Reduces [lower, upper). `evaluate` returns the term and the index of a point, each a vector or the same in all
/// lanes. Returns scalars: `start` if nothing is better.
BestAndIndex sweepArgmax(mlir::OpBuilder &builder, mlir::Location location, mlir::Value lower, mlir::Value upper,
                         SweepShape shape, const ArgmaxReduction &fold, BestAndIndex start,
                         llvm::function_ref<BestAndIndex(const LanePoint &)> evaluate);

} // namespace attnc
