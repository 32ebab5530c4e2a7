//===- TensorCoreSums.h - how a model of tensor cores adds --------------------------------------------------------===//
//
// PTX does not say in which order tensor cores add, nor how they round. By others' measurements the products of an
// instruction and what was there are added at once, and the sum is cut off; code has to be good enough for that, and
// for the usual way too.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace attnc {

enum class TensorCoreSums {
  CutOff, ///< all of an instruction at once, then towards zero
  Nearest ///< one product after the other, each sum to nearest
};

/// sum + a[0] * b[0] + ... of one instruction, of numbers as it takes them.
float addProducts(TensorCoreSums how, float sum, const float *a, const float *b, size_t depth);

} // namespace attnc
