//===- Chart.h - curves, points, boxes, bars and dots -------------------------------------------------------------===//
//
// Charts are plain data and become SVG, for a page (HtmlPage.h). What is drawn can be read by programs too: each series
// is a group with its name as `aria-label`, each point or bar has its name and values as a tooltip.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Page/Axis.h"
#include <string>
#include <vector>

namespace attnc {

struct ChartPoint {
  double x = 0, y = 0;
  std::string name = {}; ///< shown, with its values, where the pointer rests on it
};

struct Series {
  enum class Kind { Line, DashedLine, Points };
  std::string name; ///< in the legend; empty: not there
  Kind kind = Kind::Line;
  std::vector<ChartPoint> points; ///< where a value is not finite a line goes on behind it
};

struct Chart {
  std::string label; ///< what it shows, for those who can't see it
  Axis x, y;
  std::vector<Series> series;
};

/// 900 x 420. Points beyond the ends of an axis are left out.
std::string svgOf(const Chart &chart);

struct ChartBox {
  double left = 0, right = 0, bottom = 0, top = 0; ///< ends on the axes
  std::string name = {};                           ///< shown where the pointer rests on it, and in it where it fits
  unsigned series = 0;                             ///< its colour
};

/// What takes which part of one thing over which part of another: memory over time.
struct BoxChart {
  std::string label;
  Axis x, y;
  std::vector<ChartBox> boxes;
};

/// 900 x 420.
std::string svgOf(const BoxChart &chart);

struct Bar {
  std::string name;
  double value = 0;
  std::string note = {}; ///< behind the value, such as "1.4 x"
  unsigned series = 0;   ///< its colour
};

struct BarChart {
  std::string label;
  std::string unit; ///< of the values: "ms"
  std::vector<Bar> bars;
};

/// A line for each bar, from 0 to the largest value.
std::string svgOf(const BarChart &chart);

/// Several values of each of what has a name.
struct DotChart {
  std::string label;
  std::vector<std::string> rows; ///< their names
  Axis x;
  std::vector<Series> series; ///< of points: `x` is the value, `y` the number of the row
};

/// A line for each row, as long as the axis.
std::string svgOf(const DotChart &chart);

} // namespace attnc
