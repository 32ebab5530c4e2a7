//===- Axis.h - axis of a chart: range, scale and ticks -----------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

namespace attnc {

struct Axis {
  std::string label;          ///< quantity or unit of the values: "GFLOP/s"
  double least = 0, most = 1; ///< values at its ends
  bool isLogarithmic = false;

  /// An axis that contains all of `values`, with round numbers at its ends. Ignores values that are not finite and, on
  /// a logarithmic axis, values that are not positive.
  static Axis over(std::string label, const std::vector<double> &values, bool isLogarithmic = false);

  bool has(double value) const { return value >= least && value <= most; }
  /// The position of a value: 0 at the start of the axis, 1 at its end.
  double placeOf(double value) const;
  /// Round numbers along the axis: about five on a linear axis (P. Heckbert, "Nice numbers for graph labels",
  /// Graphics Gems, 1990), powers of ten on a logarithmic one.
  std::vector<double> ticks() const;
};

/// The text of a tick: "0.25", "2000", "1e-06".
std::string tickText(double value);

} // namespace attnc
