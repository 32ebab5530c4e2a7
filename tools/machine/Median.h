//===- Median.h - median of measurements -------------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace attnc {

/// The median of at least one value; the upper median of an even number of values.
inline double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace attnc
