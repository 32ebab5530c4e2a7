//===- DrawnInput.h - random elements of an input -----------------------------------------------------------------===//
//
// An input without a file has random elements. An element is a function of the seed, the stream (the number of the
// input) and the number of the element. The header includes only headers of the runtime, because benchmarks/device uses
// it too.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "attn/random.h"

namespace attnc {

/// The distribution of the elements of one input.
struct DrawnInput {
  attn_dtype dtype;      ///< element type of the input
  int64_t bound;         ///< upper limit of integers, exclusive, above 0; 0 for other types
  uint64_t seed, stream; ///< as in attn/random.h

  /// The element with number `index`: an integer uniform in [0, bound) if `bound` is above 0; otherwise 0 or 1 with
  /// equal probability for booleans, and a standard normal number for other types.
  double at(int64_t index) const {
    return bound > 0             ? double(int64_t(attn_random_uniform(seed, stream, index) * double(bound)))
           : dtype == ATTN_BOOL ? double(attn_random_uniform(seed, stream, index) < 0.5)
                                : attn_random_normal(seed, stream, index);
  }
};

} // namespace attnc
