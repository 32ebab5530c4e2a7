//===- ShadeMap.h - heat maps of matrices -------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attnc {

/// A matrix to draw: attention weights, or the share of unmasked pairs by blocks.
struct ShadeMap {
  std::string name;
  int64_t rows = 0, columns = 0;
  std::vector<float> values; ///< 0 (light) to 1 (dark), row by row; clamped to that range
  double aspect = 1;         ///< ratio of width to height of a cell
  std::vector<std::string> rowNames = {}, columnNames = {}; ///< plain text; empty: none
};

/// A figure with an SVG and the name below it. The shade is the square root of the value, so small values are visible.
std::string figureOf(const ShadeMap &map);
/// Several figures in rows.
std::string figuresOf(const std::vector<ShadeMap> &maps);

} // namespace attnc
