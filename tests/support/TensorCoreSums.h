//===- TensorCoreSums.h - rounding of tensor-core sums ------------------------------------------------------------===//
//
// PTX specifies neither the order nor the rounding of tensor-core sums. According to published measurements, an
// instruction adds all its products and the accumulator at once and truncates the sum. Generated code must be accurate
// enough for that and for the usual rounding.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace attnc {

enum class TensorCoreSums {
  CutOff, ///< all terms of an instruction at once, truncated
  Nearest ///< one product after the other, each sum rounded to nearest
};

/// Returns sum + a[0] * b[0] + ... of one instruction on converted operands.
float addProducts(TensorCoreSums how, float sum, const float *a, const float *b, size_t depth);

} // namespace attnc
