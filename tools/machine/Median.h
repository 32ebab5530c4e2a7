//===- Median.h - median of measurements --------------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace attnc {

/// The median of `values`, which must not be empty; the larger of the two middle values if their number is even.
inline double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace attnc
