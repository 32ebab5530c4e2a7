//===- PlaceFold.h - where the largest element is, in lanes -----------------------------------------------------===//
//
// A reduction to the place of the largest (or smallest) element carries two values, the best so far and its place; only
// what is better takes the place of the best, so that the lowest place wins and a NaN never does:
//
//   better = x[i] > best        best = better ? x[i] : best        place = better ? i : place
//
// In lanes each lane keeps the best of its own elements, and unrolled vectors do so again. In the end
//
//   best  = max over lanes of best[l]            place = min over lanes with best[l] = best of place[l]
//
// which is the same place: a lane whose best equals the best of all holds the first of its elements that does.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/LoopNest.h"

namespace attnc {

/// A linalg.generic with two results, folded as above over its last loop.
struct PlaceFold {
  bool isLargest;
  mlir::Value term, place; ///< inside the region
};
std::optional<PlaceFold> matchPlaceFold(mlir::linalg::GenericOp op);

struct BestAndPlace {
  mlir::Value best, place;
};

/// Folds over [lower, upper). `evaluate` gives term and place of a point, each a vector or the same in all lanes.
/// Returns scalars: `start` where nothing is better.
BestAndPlace foldPlaces(mlir::OpBuilder &builder, mlir::Location location, mlir::Value lower, mlir::Value upper,
                        SweepShape shape, const PlaceFold &fold, BestAndPlace start,
                        llvm::function_ref<BestAndPlace(const LanePoint &)> evaluate);

} // namespace attnc
