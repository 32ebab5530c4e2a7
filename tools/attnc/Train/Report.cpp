#include "tools/attnc/Train/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>

using namespace llvm;

namespace attnc {

namespace {

/// Places of values on a drawing, with room for the labels of its axes.
struct Axes {
  double left = 60, right = 860, top = 20, bottom = 380;
  double lastStep = 1, least = 0, most = 1;
  double x(double step) const { return left + (right - left) * step / lastStep; }
  double y(double loss) const { return bottom - (bottom - top) * (loss - least) / (most - least); }
};

} // namespace

static Axes axesOf(const History &history) {
  Axes axes;
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (const HistoryPoint &point : history.points())
    for (double loss : {point.loss, point.validation.value_or(point.loss)})
      if (std::isfinite(loss)) {
        least = std::min(least, loss);
        most = std::max(most, loss);
      }
  if (most > least) {
    axes.least = std::floor(least * 5) / 5;
    axes.most = std::ceil(most * 5) / 5;
  }
  if (!history.points().empty())
    axes.lastStep = double(std::max<int64_t>(history.points().back().step, 1));
  return axes;
}

static std::string curve(const Axes &axes, const std::vector<HistoryPoint> &points, bool validation) {
  std::string places;
  for (const HistoryPoint &point : points)
    if (double loss = validation ? point.validation.value_or(NAN) : point.loss; std::isfinite(loss))
      places += fmt::format("{:.1f},{:.1f} ", axes.x(double(point.step)), axes.y(loss));
  return fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", validation ? "validation" : "training", places);
}

static std::string grid(const Axes &axes) {
  std::string lines;
  for (int part = 0; part <= 5; ++part) {
    double loss = axes.least + (axes.most - axes.least) * part / 5, step = axes.lastStep * part / 5;
    lines += fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
                         "text-anchor=\"end\">{5:.2f}</text>\n",
                         axes.left, axes.right, axes.y(loss), axes.left - 8, axes.y(loss) + 4, loss);
    lines += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.0f}</text>\n", axes.x(step),
                         axes.bottom + 20, step);
  }
  return lines;
}

static std::string escaped(StringRef text) {
  std::string result;
  raw_string_ostream stream(result);
  printHTMLEscaped(text, stream);
  return result;
}

static std::string table(const Report &report) {
  std::string rows;
  for (const auto &[name, value] : report.facts)
    rows += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(value));
  return "<table>\n" + rows + "</table>\n";
}

static std::string curves(const History &history) {
  Axes axes = axesOf(history);
  return fmt::format(R"(<svg viewBox="0 0 900 420" role="img" aria-label="loss by steps">
{}{}{}<text x="700" y="34">training</text><line x1="660" x2="692" y1="30" y2="30" style="stroke:#8ab"/>
<text x="800" y="34">validation</text><line x1="760" x2="792" y1="30" y2="30" style="stroke:#c40"/>
</svg>
)",
                     grid(axes), curve(axes, history.points(), false), curve(axes, history.points(), true));
}

static constexpr int shades = 12;

/// An SVG of a map: the darker a cell, the more weight.
static std::string drawing(const AttentionMap &map) {
  std::vector<std::string> paths(shades + 1);
  for (int64_t query = 0; query < map.queries; ++query)
    for (int64_t key = 0; key < map.keys; ++key) {
      float weight = std::clamp(map.weights[query * map.keys + key], 0.0f, 1.0f);
      if (int shade = int(std::sqrt(weight) * shades + 0.5f); shade > 0)
        paths[shade] += fmt::format("M{} {}h1v1h-1z", key, query);
    }
  std::string cells, labels;
  for (int shade = 1; shade <= shades; ++shade)
    if (!paths[shade].empty())
      cells += fmt::format("<path fill-opacity=\"{:.2f}\" d=\"{}\"/>", double(shade) / shades, paths[shade]);
  for (auto [at, token] : enumerate(map.keyTokens))
    labels += fmt::format("<text x=\"{}.5\" y=\"-0.3\">{}</text>", at, escaped(token));
  for (auto [at, token] : enumerate(map.queryTokens))
    labels += fmt::format("<text x=\"-0.7\" y=\"{}.8\">{}</text>", at, escaped(token));
  return fmt::format("<figure><svg class=\"map\" viewBox=\"-1.5 -1.5 {} {}\" role=\"img\" aria-label=\"{}\">"
                     "<rect width=\"{}\" height=\"{}\"/>{}{}</svg><figcaption>{}</figcaption></figure>\n",
                     map.keys + 2, map.queries + 2, map.name, map.keys, map.queries, cells, labels, map.name);
}

static std::string maps(const AttentionMaps &maps) {
  if (maps.heads.empty())
    return {};
  std::string text = "<h2>What attention looks at</h2>\n<p>A row for each query, a column for each key";
  for (auto [number, each] : enumerate(maps.texts))
    text += (number == 0 ? ", of <code>" : ", <code>") + escaped(each) + "</code>";
  text += ". The shade is the square root of the weight.</p>\n";
  text += "<div class=\"maps\">\n";
  for (const AttentionMap &map : maps.heads)
    text += drawing(map);
  return text + "</div>\n";
}

static constexpr const char *style = R"(
body { font: 15px/1.5 system-ui, sans-serif; max-width: 900px; margin: 2em auto; color: #222; }
table { border-collapse: collapse; } th { text-align: left; padding-right: 2em; font-weight: normal; color: #666; }
svg line { stroke: #ddd; } svg text { font-size: 12px; fill: #666; }
polyline { fill: none; stroke-width: 1.5; } .training { stroke: #8ab; } .validation { stroke: #c40; }
.maps { display: grid; grid-template-columns: repeat(auto-fit, minmax(260px, 1fr)); gap: 1em; }
figure { margin: 0; } figcaption { color: #666; font-size: 13px; text-align: center; }
svg.map { width: 100%; } svg.map rect { fill: #f4f6f8; } svg.map path { fill: #124; shape-rendering: crispEdges; }
svg.map text { font-size: 0.8px; text-anchor: middle; font-family: monospace; }
)";

Error writeReport(const std::string &path, const Report &report) {
  std::ofstream out(path);
  out << fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n"
                     "<style>{1}</style></head><body>\n<h1>{0}</h1>\n",
                     escaped(report.title), style)
      << table(report) << curves(*report.history) << maps(report.maps) << "</body></html>\n";
  out.close();
  return out ? Error::success() : createStringError(formatv("{0}: cannot be written", path));
}

} // namespace attnc
