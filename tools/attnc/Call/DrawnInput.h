//===- DrawnInput.h - random elements of an input ---------------------------------------------------------------===//
//
// An input without a file has random elements, which are a function of the seed, the number of the input and the number
// of the element. The header depends on the runtime alone, because benchmarks/device uses it too.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "attn/random.h"

namespace attnc {

struct DrawnInput {
  attn_dtype dtype;
  int64_t bound; ///< upper limit of integers, exclusive; 0 for other types
  uint64_t seed, stream;

  /// Integers are uniform in [0, bound), booleans are 0 or 1 with equal probability, others are standard normal.
  double at(int64_t index) const {
    return bound > 0             ? double(int64_t(attn_random_uniform(seed, stream, index) * double(bound)))
           : dtype == ATTN_BOOL ? double(attn_random_uniform(seed, stream, index) < 0.5)
                                : attn_random_normal(seed, stream, index);
  }
};

} // namespace attnc
