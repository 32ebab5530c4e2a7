//===- Median.h - the middle one of measurements -----------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace attnc {

/// Of an even number of values the upper one of the middle two; there is at least one value.
inline double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace attnc
