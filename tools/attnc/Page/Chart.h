//===- Chart.h - charts as SVG: lines, points, boxes, bars and dots -----------------------------------------------===//
//
// Charts are plain data that svgOf() turns into an <svg> element for an HTML page; the styles are in HtmlPage.h.
// Programs can read the SVG too: each series and each bar is a group with its name as `aria-label`. Points have their
// name and values as a tooltip, boxes their name; points of lines have no tooltip. Texts are plain text, which svgOf()
// escapes.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Page/Axis.h"
#include <string>
#include <vector>

namespace attnc {

/// A point, in the units of the axes.
struct ChartPoint {
  double x = 0, y = 0;
  std::string name = {}; ///< shown in a tooltip, with the values; not for lines
};

/// Points of one colour, drawn alone (Points) or connected in their order (Line, DashedLine).
struct Series {
  enum class Kind { Line, DashedLine, Points };
  std::string name; ///< in the legend; empty: the series is not in the legend
  Kind kind = Kind::Line;
  std::vector<ChartPoint> points; ///< a line skips points that are not finite; one point gives no line
};

/// A chart with two axes. Series n has colour n mod 8.
struct Chart {
  std::string label; ///< description for screen readers, in this and the other charts
  Axis x, y;         ///< horizontal and vertical axis
  std::vector<Series> series;
};

/// A drawing of 900 × 420 pixels. Omits points outside of the axes, and clips lines at the ends of the axes.
std::string svgOf(const Chart &chart);

/// A rectangle, in the units of the axes.
struct ChartBox {
  double left = 0, right = 0, bottom = 0, top = 0; ///< requires left <= right and bottom <= top, all on the axes
  std::string name = {};                           ///< shown in a tooltip, and in the box if there is room
  unsigned series = 0;                             ///< number of its colour, modulo 8
};

/// Rectangles over two axes, such as the use of memory over time.
struct BoxChart {
  std::string label;
  Axis x, y;
  std::vector<ChartBox> boxes;
};

/// A drawing of 900 × 420 pixels.
std::string svgOf(const BoxChart &chart);

struct Bar {
  std::string name;
  double value = 0;      ///< a bar of a negative value, or of one that is not finite, has length 0
  std::string note = {}; ///< text after the value, such as "1.4 x"
  unsigned series = 0;   ///< number of its colour, modulo 8
};

/// Horizontal bars, one below the other.
struct BarChart {
  std::string label;
  std::string unit; ///< unit of the values: "ms"
  std::vector<Bar> bars;
};

/// A drawing 900 pixels wide, with a row of 24 pixels for each bar. A row has the name, the bar and the value. Bars
/// start at 0, and the largest value has the longest bar.
std::string svgOf(const BarChart &chart);

/// Several values, as dots, in each of several named rows.
struct DotChart {
  std::string label;
  std::vector<std::string> rows; ///< names of the rows
  Axis x;                        ///< horizontal axis of all rows
  std::vector<Series> series;    ///< `x` of a point is the value, `y` the number of its row from 0; `kind` is ignored
};

/// A drawing 900 pixels wide, with a row of 20 pixels for each name. Omits points outside of the axis.
std::string svgOf(const DotChart &chart);

} // namespace attnc
