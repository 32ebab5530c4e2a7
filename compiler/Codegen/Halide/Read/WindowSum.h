//===- WindowSum.h - the sums over windows that are fast as they are --------------------------------------------===//
//
//   [b, s, o] => sum (t, c) => (if s >= t then x[b, s - t, c] else 0.0) * w[t, c, o]
//
// A sum of products of **plain factors**: an element of f32, read at subscripts of indices and sizes, or such
// an element where a condition on indices holds, and 0 elsewhere. One factor is read where a loop of the result and a
// loop that is summed over meet in one subscript: x is. The others are weights.
//
// One question, which is asked twice: of the sum, before it would be made a product of matrices, and of its kernel.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc::halide {

/// Whether it is such a sum.
bool isWindowSum(mlir::linalg::GenericOp op);

/// Whether it is one of sizes for which Halide was measured faster: the result's last dimension, of a known size, fills
/// half a vector of `lanes`, or another dimension fills one and many terms are summed, and the weights are few, of
/// known sizes too; or it is a gradient by weights, which sums over the image: the result's gradient has the weights'
/// place, and tiles divide the result, of known sizes, so that sums can be in parts.
bool isFastWindowSum(mlir::linalg::GenericOp op, int64_t lanes);

} // namespace attnc::halide
