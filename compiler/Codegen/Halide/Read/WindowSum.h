//===- WindowSum.h - sums over windows: convolutions and their gradients ------------------------------------------===//
//
//   [b, s, o] => sum (t, c) => (if s >= t then x[b, s - t, c] else 0.0) * w[t, c, o]
//
// A sum of products of **plain factors**: an f32 element read at subscripts of indices and sizes, or such an element
// under a condition on indices, and 0 otherwise. One factor, here x, has a subscript that combines a loop of the result
// with a summed loop: the windows. The other factors are weights.
//
// The predicates are tested on the sum before it would become a matrix product, and on its kernel.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc::halide {

/// True if the op is a sum over windows.
bool isWindowSum(mlir::linalg::GenericOp op);

/// True if Halide was measured faster for such sizes: the result's last dimension is static and fills half a vector of
/// `lanes`, or another dimension fills a vector and the sum has many terms; and the weights are small and of static
/// sizes, or the sum is a gradient with respect to weights, which runs over the image, and tiles divide the static
/// sizes of the result, so that the sum can be split into partial sums.
bool isFastWindowSum(mlir::linalg::GenericOp op, int64_t lanes);

} // namespace attnc::halide
