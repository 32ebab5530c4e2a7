//===- WindowSum.h - sums over windows: convolutions and their gradients ------------------------------------------===//
//
//   [b, s, o] => sum (t, c) => (if s >= t then x[b, s - t, c] else 0.0) * w[t, c, o]
//
// A sum of products of **plain factors**: an f32 element read at subscripts of indices and sizes, or the selection of
// such an element or 0 by a condition on indices. At least one factor, here x, reads windows: one of its subscripts
// combines a loop of the result with a summed loop. The other factors are weights.
//
// The predicates are tested on the sum before it would become a matrix product, and on its kernel.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc::halide {

/// True if the op is a sum over windows.
bool isWindowSum(mlir::linalg::GenericOp op);

/// True if the op is a sum over windows, and Halide was measured faster for such sizes. All of these hold:
///   - the result's last dimension is static;
///   - the last dimension fills half a vector of `lanes`, or another one fills a vector and the sum has many terms;
///   - the weights are small and of static sizes; or the sum runs over the image, as in a gradient with respect to
///     weights, the result has static sizes, and whole vectors divide its last dimension (for partial sums).
bool isFastWindowSum(mlir::linalg::GenericOp op, int64_t lanes);

} // namespace attnc::halide
