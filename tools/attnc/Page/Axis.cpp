#include "tools/attnc/Page/Axis.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace attnc {

/// The distance of about five ticks over `range`: 1, 2 or 5 times a power of ten.
static double roundStep(double range) {
  double rough = range / 5, power = std::pow(10, std::floor(std::log10(rough)));
  for (double factor : {1.0, 2.0, 5.0})
    if (rough <= factor * power * (1 + 1e-9))
      return factor * power;
  return 10 * power;
}

Axis Axis::over(std::string label, const std::vector<double> &values, bool isLogarithmic) {
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (double value : values)
    if (std::isfinite(value) && (!isLogarithmic || value > 0)) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  if (least > most)
    return {std::move(label), isLogarithmic ? 1.0 : 0.0, isLogarithmic ? 10.0 : 1.0, isLogarithmic};
  if (isLogarithmic) {
    double first = std::floor(std::log10(least)), last = std::ceil(std::log10(most));
    return {std::move(label), std::pow(10, first), std::pow(10, std::max(last, first + 1)), true};
  }
  if (least == most) {
    double room = least == 0 ? 1 : std::abs(least) / 2;
    least -= room;
    most += room;
  }
  double step = roundStep(most - least);
  return {std::move(label), std::floor(least / step) * step, std::ceil(most / step) * step, false};
}

double Axis::placeOf(double value) const {
  if (isLogarithmic)
    return std::log(value / least) / std::log(most / least);
  return (value - least) / (most - least);
}

std::vector<double> Axis::ticks() const {
  std::vector<double> result;
  if (isLogarithmic) {
    int decades = int(std::lround(std::log10(most / least))), apart = (decades + 7) / 8;
    for (int decade = 0; decade <= decades; decade += apart)
      result.push_back(least * std::pow(10, decade));
    return result;
  }
  double step = roundStep(most - least), first = std::ceil(least / step - 1e-9);
  for (double at = first; at * step <= most + step * 1e-9; ++at)
    result.push_back(at * step);
  return result;
}

std::string tickText(double value) { return fmt::format("{:.6g}", std::abs(value) < 1e-300 ? 0.0 : value); }

} // namespace attnc
