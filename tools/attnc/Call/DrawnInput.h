//===- DrawnInput.h - random elements of an input ---------------------------------------------------------------===//
//
// An input without a file has random elements, a function of the seed, the input's number and the element's: a machine
// with the same numbers has the same input. It needs the runtime alone, for benchmarks/device draws inputs too.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "attn/random.h"

namespace attnc {

struct DrawnInput {
  attn_dtype dtype;
  int64_t bound; ///< integers are below it; 0: of another type
  uint64_t seed, stream;

  /// Integers uniform in [0, bound), booleans 0 or 1 alike, else standard normal.
  double at(int64_t index) const {
    return bound > 0             ? double(int64_t(attn_random_uniform(seed, stream, index) * double(bound)))
           : dtype == ATTN_BOOL ? double(attn_random_uniform(seed, stream, index) < 0.5)
                                : attn_random_normal(seed, stream, index);
  }
};

} // namespace attnc
