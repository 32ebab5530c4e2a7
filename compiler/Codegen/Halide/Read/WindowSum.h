//===- WindowSum.h - recognition of sums over windows: convolutions and their gradients ---------------------------===//
//
//   [b, s, o] => sum (t, c) => (if s >= t then x[b, s - t, c] else 0.0) * w[t, c, o]
//
// A sum over windows is a linalg.generic with one result, of f32, that sums products of **plain factors**. A plain
// factor is an f32 element read at subscripts of indices and sizes, or a selection between such an element and 0 by a
// condition on indices. At least one factor, here x, reads windows: one of its subscripts combines a loop of the result
// with a summed loop. The other factors are weights.
//
// Fuse tests the predicates on a sum, to decide whether it becomes a matrix product (Emitter::sumsWindows); the Halide
// emitter tests them again on the kernel of the sum.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc::halide {

/// Whether the op is a sum over windows.
bool isWindowSum(mlir::linalg::GenericOp op);

/// Whether the op is a sum over windows for which Halide was measured faster than `cpu`. `lanes` is the number of f32
/// elements of a vector. All of these must hold:
///   - the result's last dimension is static;
///   - the last dimension fills half a vector of `lanes`, or another one fills a vector and the sum has at least
///     leastTermsForOtherLanes terms (StageSchedule.h), for which a summed loop of dynamic size suffices;
///   - the weights have static sizes and at most 1 MB in all; or the sum runs over the image, as in a gradient with
///     respect to weights, the result has static sizes, and whole vectors divide its last dimension (for partial sums).
bool isFastWindowSum(mlir::linalg::GenericOp op, int64_t lanes);

} // namespace attnc::halide
