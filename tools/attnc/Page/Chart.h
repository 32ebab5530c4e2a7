//===- Chart.h - charts as SVG: lines, points, boxes, bars and dots -----------------------------------------------===//
//
// Charts are plain data that become SVG, for a page (HtmlPage.h). Programs can read the SVG too: each series is a group
// with its name as `aria-label`, and each point or bar has its name and values as a tooltip.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Page/Axis.h"
#include <string>
#include <vector>

namespace attnc {

struct ChartPoint {
  double x = 0, y = 0;
  std::string name = {}; ///< shown in a tooltip, with the values
};

struct Series {
  enum class Kind { Line, DashedLine, Points };
  std::string name; ///< in the legend; empty: no legend
  Kind kind = Kind::Line;
  std::vector<ChartPoint> points; ///< a line skips points that are not finite
};

struct Chart {
  std::string label; ///< description for screen readers
  Axis x, y;
  std::vector<Series> series;
};

/// 900 x 420 pixels. Points outside of the axes are omitted.
std::string svgOf(const Chart &chart);

struct ChartBox {
  double left = 0, right = 0, bottom = 0, top = 0; ///< ends on the axes
  std::string name = {};                           ///< shown in a tooltip, and in the box if there is room
  unsigned series = 0;                             ///< number of its colour
};

/// Rectangles over two axes, such as the use of memory over time.
struct BoxChart {
  std::string label;
  Axis x, y;
  std::vector<ChartBox> boxes;
};

/// 900 x 420 pixels.
std::string svgOf(const BoxChart &chart);

struct Bar {
  std::string name;
  double value = 0;
  std::string note = {}; ///< text after the value, such as "1.4 x"
  unsigned series = 0;   ///< number of its colour
};

struct BarChart {
  std::string label;
  std::string unit; ///< unit of the values: "ms"
  std::vector<Bar> bars;
};

/// One row for each bar; the axis starts at 0 and ends at the largest value.
std::string svgOf(const BarChart &chart);

/// Several values in each of several named rows.
struct DotChart {
  std::string label;
  std::vector<std::string> rows; ///< names of the rows
  Axis x;
  std::vector<Series> series; ///< `x` of a point is the value, `y` the number of its row
};

/// One row below the other, over a common axis.
std::string svgOf(const DotChart &chart);

} // namespace attnc
