#include "tools/attnc/Train/History.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

using namespace llvm;

namespace attnc {

static constexpr const char *headings = "step,loss,validation";

Expected<History> History::open(const std::string &path, int64_t step) {
  History history;
  history.path = path;
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    HistoryPoint point;
    char comma;
    double validation;
    if (!(fields >> point.step >> comma >> point.loss) || point.step > step)
      continue;
    if (fields >> comma >> validation)
      point.validation = validation;
    history.all.push_back(point);
  }
  std::ofstream out(path);
  out << headings << "\n";
  std::vector<HistoryPoint> kept;
  std::swap(kept, history.all);
  out.close();
  if (!out)
    return createStringError(formatv("{0}: cannot be written", path));
  for (const HistoryPoint &point : kept)
    if (Error error = history.add(point))
      return std::move(error);
  return history;
}

Error History::add(HistoryPoint point) {
  all.push_back(point);
  std::ofstream out(path, std::ios::app);
  out << point.step << "," << fmt::format("{:.6g}", point.loss) << ","
      << (point.validation ? fmt::format("{:.6g}", *point.validation) : "") << "\n";
  out.close();
  return out ? Error::success() : createStringError(formatv("{0}: cannot be written", path));
}

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

Error writeReport(const std::string &path, const std::string &title, const History &history,
                  const std::vector<std::pair<std::string, std::string>> &facts) {
  std::string rows;
  for (const auto &[name, value] : facts)
    rows += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(value));
  Axes axes = axesOf(history);
  std::string page = fmt::format(R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{0}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 900px; margin: 2em auto; color: #222; }}
table {{ border-collapse: collapse; }} th {{ text-align: left; padding-right: 2em; font-weight: normal; color: #666; }}
svg line {{ stroke: #ddd; }} svg text {{ font-size: 12px; fill: #666; }}
polyline {{ fill: none; stroke-width: 1.5; }} .training {{ stroke: #8ab; }} .validation {{ stroke: #c40; }}
</style></head><body>
<h1>{0}</h1>
<table>
{1}</table>
<svg viewBox="0 0 900 420" role="img" aria-label="loss by steps">
{2}{3}{4}<text x="700" y="34">training</text><line x1="660" x2="692" y1="30" y2="30" style="stroke:#8ab"/>
<text x="800" y="34">validation</text><line x1="760" x2="792" y1="30" y2="30" style="stroke:#c40"/>
</svg>
</body></html>
)",
                                 escaped(title), rows, grid(axes), curve(axes, history.points(), false),
                                 curve(axes, history.points(), true));
  std::ofstream out(path);
  out << page;
  out.close();
  return out ? Error::success() : createStringError(formatv("{0}: cannot be written", path));
}

} // namespace attnc
