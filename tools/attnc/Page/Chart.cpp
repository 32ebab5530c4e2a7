#include "tools/attnc/Page/Chart.h"
#include "tools/attnc/Page/HtmlPage.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace attnc {

namespace {

/// The positions of values on the drawing of a chart.
struct Frame {
  const Axis &across, &up;
  double left = 70, right = 880, top = 30, bottom = 370;
  double x(double value) const { return left + (right - left) * across.placeOf(value); }
  double y(double value) const { return bottom - (bottom - top) * up.placeOf(value); }
  bool has(const ChartPoint &point) const { return across.has(point.x) && up.has(point.y); }
};

struct Place {
  double x, y;
};

} // namespace

static constexpr unsigned colours = 8;

static std::string grid(const Frame &frame) {
  std::string text;
  for (double tick : frame.up.ticks())
    text += fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
                        "text-anchor=\"end\">{5}</text>\n",
                        frame.left, frame.right, frame.y(tick), frame.left - 8, frame.y(tick) + 4, tickText(tick));
  for (double tick : frame.across.ticks())
    text += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
                        "text-anchor=\"middle\">{4}</text>\n",
                        frame.x(tick), frame.top, frame.bottom, frame.bottom + 18, tickText(tick));
  text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", frame.right, frame.bottom + 38,
                      escaped(frame.across.label));
  return text + fmt::format("<text x=\"8\" y=\"{}\">{}</text>\n", frame.top - 14, escaped(frame.up.label));
}

static const char *dashing(const Series &series) {
  return series.kind == Series::Kind::DashedLine ? " class=\"dashed\"" : "";
}

/// The part of a segment that lies on the drawing, as positions from 0 to 1 along the segment; null if none does
/// (Y. Liang, B. Barsky, "A new concept and method for line clipping", 1984).
static std::optional<std::pair<double, double>> visiblePart(const Frame &frame, Place from, Place to) {
  double begin = 0, end = 1;
  for (auto [least, most, at, change] : {std::array{frame.left, frame.right, from.x, to.x - from.x},
                                         std::array{frame.top, frame.bottom, from.y, to.y - from.y}}) {
    if (change == 0 && (at < least || at > most))
      return std::nullopt;
    if (change == 0)
      continue;
    double first = (least - at) / change, last = (most - at) / change;
    begin = std::max(begin, std::min(first, last));
    end = std::min(end, std::max(first, last));
  }
  return begin <= end ? std::optional(std::pair(begin, end)) : std::nullopt;
}

/// The line of a series, clipped to the drawing.
static std::string line(const Frame &frame, const Series &series) {
  std::vector<Place> places;
  for (const ChartPoint &point : series.points)
    if (Place place{frame.x(point.x), frame.y(point.y)}; std::isfinite(place.x) && std::isfinite(place.y))
      places.push_back(place);
  std::string text, run;
  auto endRun = [&] {
    if (!run.empty())
      text += fmt::format("<polyline{} points=\"{}\"/>", dashing(series), run);
    run.clear();
  };
  auto visit = [&](double x, double y) { run += fmt::format("{:.1f},{:.1f} ", x, y); };
  for (size_t at = 0; at + 1 < places.size(); ++at) {
    Place from = places[at], to = places[at + 1];
    std::optional<std::pair<double, double>> part = visiblePart(frame, from, to);
    if (!part || part->first > 0)
      endRun();
    if (!part)
      continue;
    auto along = [&](double share) { visit(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)); };
    if (run.empty())
      along(part->first);
    along(part->second);
    if (part->second < 1)
      endRun();
  }
  endRun();
  return text;
}

static std::string dots(const Frame &frame, const Series &series) {
  std::string text;
  for (const ChartPoint &point : series.points)
    if (frame.has(point))
      text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}: {:.4g}, {:.4g}</title></circle>",
                          frame.x(point.x), frame.y(point.y), escaped(point.name), point.x, point.y);
  return text;
}

/// The width of a name in the legend, with its sample and a gap.
static double legendWidth(const Series &series) {
  return series.name.empty() ? 0 : 44 + 7 * double(series.name.size());
}

/// The name of a series with a sample of its colour, at `x`.
static std::string legend(const Frame &frame, const Series &series, double x) {
  std::string sample =
      series.kind == Series::Kind::Points
          ? fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"4\"/>", x + 12, frame.top - 18)
          : fmt::format("<polyline{3} points=\"{0},{2} {1},{2}\"/>", x, x + 24, frame.top - 18, dashing(series));
  return sample + fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", x + 30, frame.top - 14, escaped(series.name));
}

std::string svgOf(const Chart &chart) {
  Frame frame{chart.x, chart.y};
  std::string text = fmt::format("<svg class=\"chart\" viewBox=\"0 0 900 420\" role=\"img\" aria-label=\"{}\">\n{}",
                                 escaped(chart.label), grid(frame));
  double legendAt = frame.right;
  for (const Series &series : chart.series)
    legendAt -= legendWidth(series);
  for (unsigned number = 0; const Series &series : chart.series) {
    text += fmt::format("<g class=\"series-{}\" aria-label=\"{}\">", number++ % colours, escaped(series.name));
    text += series.kind == Series::Kind::Points ? dots(frame, series) : line(frame, series);
    if (!series.name.empty())
      text += legend(frame, series, legendAt);
    legendAt += legendWidth(series);
    text += "</g>\n";
  }
  return text + "</svg>\n";
}

std::string svgOf(const BoxChart &chart) {
  Frame frame{chart.x, chart.y};
  std::string text = fmt::format("<svg class=\"chart\" viewBox=\"0 0 900 420\" role=\"img\" aria-label=\"{}\">\n{}",
                                 escaped(chart.label), grid(frame));
  for (const ChartBox &box : chart.boxes) {
    double left = frame.x(box.left), top = frame.y(box.top);
    double width = frame.x(box.right) - left, height = frame.y(box.bottom) - top;
    bool hasRoom = width > 7 * double(box.name.size()) && height > 14;
    text += fmt::format("<g class=\"series-{} box\"><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                        "height=\"{:.1f}\"/>",
                        box.series % colours, escaped(box.name), left, top, width, height);
    if (hasRoom)
      text +=
          fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", left + 3, top + height / 2 + 4, escaped(box.name));
    text += "</g>\n";
  }
  return text + "</svg>\n";
}

std::string svgOf(const BarChart &chart) {
  constexpr double left = 260, width = 440, height = 24;
  double most = 0;
  for (const Bar &bar : chart.bars)
    if (std::isfinite(bar.value))
      most = std::max(most, bar.value);
  std::string text = fmt::format("<svg class=\"chart\" viewBox=\"0 0 900 {}\" role=\"img\" aria-label=\"{}\">\n",
                                 height * double(chart.bars.size()) + 8, escaped(chart.label));
  for (double y = 4; const Bar &bar : chart.bars) {
    double length = std::isfinite(bar.value) && most > 0 ? width * std::max(bar.value, 0.0) / most : 0;
    text +=
        fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><g class=\"series-{}\" aria-label=\"{}\">"
                    "<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"/><text x=\"{:.1f}\" y=\"{}\">{:.4g} {} "
                    "{}</text></g>\n",
                    left - 8, y + 16, escaped(bar.name), bar.series % colours, escaped(bar.name), left, y + 3, length,
                    height - 6, left + length + 8, y + 16, bar.value, escaped(chart.unit), escaped(bar.note));
    y += height;
  }
  return text + "</svg>\n";
}

std::string svgOf(const DotChart &chart) {
  constexpr double left = 260, right = 880, top = 34, height = 20;
  double bottom = top + height * double(chart.rows.size());
  auto across = [&](double value) { return left + (right - left) * chart.x.placeOf(value); };
  std::string text = fmt::format("<svg class=\"chart\" viewBox=\"0 0 900 {}\" role=\"img\" aria-label=\"{}\">\n",
                                 bottom + 40, escaped(chart.label));
  for (double tick : chart.x.ticks())
    text += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
                        "text-anchor=\"middle\">{4}</text>\n",
                        across(tick), top, bottom, bottom + 16, tickText(tick));
  for (auto [number, name] : llvm::enumerate(chart.rows)) {
    double middle = top + height * (double(number) + 0.5);
    text += fmt::format("<text x=\"{0}\" y=\"{1:.1f}\" text-anchor=\"end\">{2}</text><line x1=\"{3}\" y1=\"{4:.1f}\" "
                        "x2=\"{5}\" y2=\"{4:.1f}\"/>\n",
                        left - 8, middle + 4, escaped(name), left, middle, right);
  }
  text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", right, bottom + 34,
                      escaped(chart.x.label));
  double legendAt = right;
  for (const Series &series : chart.series)
    legendAt -= legendWidth(series);
  for (unsigned number = 0; const Series &series : chart.series) {
    text += fmt::format("<g class=\"series-{0}\" aria-label=\"{1}\"><circle cx=\"{2}\" cy=\"14\" r=\"4\"/>"
                        "<text x=\"{3}\" y=\"18\">{1}</text>",
                        number++ % colours, escaped(series.name), legendAt + 12, legendAt + 30);
    for (const ChartPoint &point : series.points)
      if (chart.x.has(point.x))
        text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}, {}: {:.4g}</title></circle>",
                            across(point.x), top + height * (point.y + 0.5), escaped(point.name), escaped(series.name),
                            point.x);
    legendAt += legendWidth(series);
    text += "</g>\n";
  }
  return text + "</svg>\n";
}

} // namespace attnc
