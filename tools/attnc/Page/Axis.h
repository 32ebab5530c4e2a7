//===- Axis.h - from values to places on a drawing ----------------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

namespace attnc {

struct Axis {
  std::string label;          ///< what the values are, with their unit: "GFLOP/s"
  double least = 0, most = 1; ///< at its ends
  bool isLogarithmic = false;

  /// An axis on which all of `values` have a place, with round numbers at its ends. Left out are values that are not
  /// finite, or have no logarithm where one is asked for.
  static Axis over(std::string label, const std::vector<double> &values, bool isLogarithmic = false);

  bool has(double value) const { return value >= least && value <= most; }
  /// 0 at the beginning of the axis, 1 at its end.
  double placeOf(double value) const;
  /// Round numbers to write beside it: about five on a linear axis (P. Heckbert, "Nice numbers for graph labels",
  /// Graphics Gems, 1990), powers of ten on a logarithmic one.
  std::vector<double> ticks() const;
};

/// A tick as it is written: "0.25", "2000", "1e-06".
std::string tickText(double value);

} // namespace attnc
