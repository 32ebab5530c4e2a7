//===- Axis.h - axis of a chart: range, scale and ticks -----------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

namespace attnc {

/// The axis of a chart, linear or logarithmic. Requires least < most, and 0 < least if the axis is logarithmic.
struct Axis {
  std::string label;          ///< quantity or unit of the values: "GFLOP/s"
  double least = 0, most = 1; ///< values at its start and at its end
  bool isLogarithmic = false;

  /// An axis that contains all of `values`, with round numbers at its ends: powers of ten on a logarithmic axis.
  /// Ignores values that are not finite and, on a logarithmic axis, values that are not positive. Without values, the
  /// axis is from 0 to 1, or from 1 to 10 if it is logarithmic.
  static Axis over(std::string label, const std::vector<double> &values, bool isLogarithmic = false);

  bool has(double value) const { return value >= least && value <= most; } ///< the value is on the axis
  /// The position of a value: 0 at the start of the axis, 1 at its end, outside of this range for values off the axis.
  double placeOf(double value) const;
  /// The values at the ticks, in ascending order: about five round numbers on a linear axis (P. Heckbert, "Nice numbers
  /// for graph labels", Graphics Gems, 1990), at most nine powers of ten on a logarithmic one.
  std::vector<double> ticks() const;
};

/// The text of a tick, with at most six significant digits: "0.25", "2000", "1e-06".
std::string tickText(double value);

} // namespace attnc
