#include "tools/attnc/Train/Report.h"
#include "tools/attnc/Page/Chart.h"
#include "tools/attnc/Page/HtmlPage.h"
#include "tools/attnc/Page/ShadeMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Base64.h"
#include <cmath>
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

static std::string curves(const Report &report) {
  std::vector<Series> series;
  for (const std::string &name : report.lossNames)
    series.push_back({report.lossNames.size() == 1 ? "training" : name, Series::Kind::Line, {}});
  series.push_back({"validation", Series::Kind::Line, {}});
  std::vector<double> steps{0}, losses;
  for (const HistoryPoint &point : report.history->points()) {
    std::vector<double> values = point.losses;
    values.push_back(point.validation.value_or(NAN));
    for (auto [each, value] : zip_equal(series, values))
      each.points.push_back({double(point.step), value});
    steps.push_back(double(point.step));
    losses.insert(losses.end(), values.begin(), values.end());
  }
  return svgOf(Chart{"loss by steps", Axis::over("steps", steps), Axis::over("loss", losses), std::move(series)});
}

/// A chart of one number of each head, with a line for each head.
static std::string concentration(const AttentionHistory &history, const std::string &label,
                                 double AttentionPoint::*value) {
  Chart chart{label + " by steps", {}, {}, {}};
  std::vector<double> steps{0}, values{0};
  constexpr int64_t mostNamed = 6; // the legend has no room for more
  int64_t heads = count_if(history.points(),
                           [&](const AttentionPoint &each) { return each.step == history.points().front().step; });
  for (const AttentionPoint &point : history.points()) {
    auto series = find_if(chart.series, [&](const Series &each) { return each.points.front().name == point.head; });
    if (series == chart.series.end())
      series = chart.series.insert(series, Series{heads > mostNamed ? "" : point.head, Series::Kind::Line, {}});
    series->points.push_back({double(point.step), point.*value, point.head});
    steps.push_back(double(point.step));
    values.push_back(point.*value);
  }
  chart.x = Axis::over("steps", steps);
  chart.y = Axis::over(label, values);
  return svgOf(chart);
}

static std::string concentrations(const AttentionHistory &history) {
  return "<p>Mean over the rows of each head, on the sample drawn above. A row is saturated if one key has an "
         "attention weight above 0.95: it passes almost no gradient.</p>\n" +
         concentration(history, "mean entropy (nats)", &AttentionPoint::entropy) +
         concentration(history, "fraction of saturated rows", &AttentionPoint::saturated);
}

static std::string mapsText(const AttentionMaps &maps) {
  std::string text = "<p>A row for each query, a column for each key";
  for (auto [number, each] : enumerate(maps.texts))
    text += (number == 0 ? ", of <code>" : ", <code>") + escaped(each) + "</code>";
  return text + ". The shade is the square root of the attention weight.</p>\n" + figuresOf(maps.heads);
}

static std::string picturesText(const std::vector<SamplePicture> &pictures) {
  std::string text;
  for (const SamplePicture &each : pictures)
    text += fmt::format("<figure class=\"wide\"><img alt=\"{0}\" src=\"data:image/png;base64,{1}\">"
                        "<figcaption>{0}</figcaption></figure>\n",
                        escaped(each.name), encodeBase64(each.png));
  return text;
}

Error writeReport(const std::string &path, const Report &report) {
  HtmlPage page{report.title};
  page.sections.push_back({"", factTable(report.facts) + curves(report)});
  if (!report.pictures.empty())
    page.sections.push_back({"Pictures", picturesText(report.pictures)});
  if (!report.maps.heads.empty())
    page.sections.push_back({"Attention maps", mapsText(report.maps)});
  if (!report.maps.heads.empty() && report.attention)
    page.sections.push_back({"How attention became concentrated", concentrations(*report.attention)});
  return writePage(path, page);
}

} // namespace attnc
