//===- TensorCoreSums.h - rounding of tensor-core sums ------------------------------------------------------------===//
//
// PTX specifies neither the order nor the rounding of tensor-core sums. According to published measurements, an
// instruction adds all its products and the accumulator at once and truncates the sum to f32. Tests require that
// generated code is accurate enough with truncation, and with rounding of each sum to nearest.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace attnc {

enum class TensorCoreSums {
  CutOff, ///< all terms of an instruction are added at once, and the sum is rounded towards zero
  Nearest ///< one product after the other is added, and each sum is rounded to nearest
};

/// Returns sum + a[0] * b[0] + ... + a[depth - 1] * b[depth - 1], as one instruction computes it. The operands `a` and
/// `b` are already rounded to the instruction's element type.
float addProducts(TensorCoreSums how, float sum, const float *a, const float *b, size_t depth);

} // namespace attnc
