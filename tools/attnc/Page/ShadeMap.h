//===- ShadeMap.h - heat maps of matrices -------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attnc {

/// A matrix to draw: attention weights, or the share of unmasked query–key pairs in blocks of an all-pairs matrix.
struct ShadeMap {
  std::string name;              ///< caption, plain text
  int64_t rows = 0, columns = 0; ///< number of cells in each direction
  /// rows × columns values in row-major order: 0 (light) to 1 (dark), clamped to this range; NaN is drawn as 0.
  std::vector<float> values;
  double aspect = 1;                                        ///< ratio of width to height of a cell
  std::vector<std::string> rowNames = {}, columnNames = {}; ///< plain text, one for each row or column; empty: none
};

/// The HTML of a <figure>: an SVG drawing and the name below it. The shade is the square root of the value, so that
/// small values are visible.
std::string figureOf(const ShadeMap &map);
/// The HTML of several figures, arranged in a grid.
std::string figuresOf(const std::vector<ShadeMap> &maps);

} // namespace attnc
