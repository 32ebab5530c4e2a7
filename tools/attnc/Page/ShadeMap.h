//===- ShadeMap.h - a matrix as shades ----------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attnc {

/// Weights of attention, or how much of each block a mask leaves.
struct ShadeMap {
  std::string name;
  int64_t rows = 0, columns = 0;
  std::vector<float> values; ///< 0 (empty) to 1 (dark), row by row; taken into that range
  double aspect = 1;         ///< width of a cell over its height
  std::vector<std::string> rowNames = {}, columnNames = {}; ///< plain text; empty: none
};

/// A figure with an SVG and the name below it. The shade is the square root of the value, so that little is seen too.
std::string figureOf(const ShadeMap &map);
/// Figures beside each other.
std::string figuresOf(const std::vector<ShadeMap> &maps);

} // namespace attnc
