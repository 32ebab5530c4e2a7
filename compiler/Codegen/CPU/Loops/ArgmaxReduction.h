//===- ArgmaxReduction.h - vectorised argmax and argmin reductions ------------------------------------------------===//
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
// which is the same index: a lane whose best equals the overall best has the first of its elements that does. Rows.cpp
// uses this code for reductions of rows.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/LoopNest.h"

namespace attnc {

/// A linalg.generic with two results, the best element and its index, which are folded as above over its last loop.
/// This is its only reduction loop.
struct ArgmaxReduction {
  bool isLargest;          ///< true: argmax; false: argmin
  mlir::Value term, index; ///< values of the op's region: x[i] (a float or a signed integer), and i as i32
};
/// Matches `op`. Null if it has another form.
std::optional<ArgmaxReduction> matchArgmax(mlir::linalg::GenericOp op);

/// An element and its index (i32): two scalars or two vectors.
struct BestAndIndex {
  mlir::Value best, index;
};

/// Emits the reduction `fold` over the points [lower, upper) (index), in vectors of shape.lanes lanes, shape.unroll of
/// them at a time; shape.length is not used. `evaluate` returns the term and the index of a vector of points, each as a
/// vector, or as a scalar if it is the same in all lanes; inactive lanes (LanePoint::active) are ignored. `start` are
/// scalars, the values before the first point. Returns scalars: the best element and its index, or `start` if no
/// element is better.
BestAndIndex sweepArgmax(mlir::OpBuilder &builder, mlir::Location location, mlir::Value lower, mlir::Value upper,
                         SweepShape shape, const ArgmaxReduction &fold, BestAndIndex start,
                         llvm::function_ref<BestAndIndex(const LanePoint &)> evaluate);

} // namespace attnc
