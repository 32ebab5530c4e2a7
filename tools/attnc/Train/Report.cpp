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

namespace {
/// A chart of some columns of the history over the steps.
class Curves {
public:
  explicit Curves(std::string name) : name(std::move(name)) {}

  void add(const History &history, const std::string &label, std::vector<double> HistoryPoint::*part, size_t column) {
    Series series{label, Series::Kind::Line, {}};
    for (const HistoryPoint &point : history.points()) {
      steps.push_back(double(point.step));
      values.push_back((point.*part)[column]);
      series.points.push_back({steps.back(), values.back()});
    }
    all.push_back(std::move(series));
  }
  std::string svg() const {
    return svgOf(Chart{name + " by steps", Axis::over("steps", steps), Axis::over(name, values), all});
  }

private:
  std::string name;
  std::vector<Series> all;
  std::vector<double> steps{0}, values;
};
} // namespace

/// A chart of all losses, and a chart of each metric.
static std::string curves(const Report &report) {
  constexpr auto training = &HistoryPoint::training, validation = &HistoryPoint::validation;
  auto isLoss = [](const StepEntries::Measured &each) { return each.isLoss; };
  bool isOneLoss = count_if(report.training, isLoss) == 1;
  Curves losses("loss");
  std::string metrics;
  std::vector<bool> isDrawn(report.validation.size());
  for (auto [column, each] : enumerate(report.training)) {
    if (each.isLoss) {
      losses.add(*report.history, isOneLoss ? "training" : each.name, training, column);
      continue;
    }
    Curves metric(each.name);
    metric.add(*report.history, "training", training, column);
    auto validated = size_t(find(report.validation, "validation_" + each.name) - report.validation.begin());
    if (validated < isDrawn.size()) {
      metric.add(*report.history, "validation", validation, validated);
      isDrawn[validated] = true;
    }
    metrics += metric.svg();
  }
  losses.add(*report.history, "validation", validation, 0);
  for (size_t column = 1; column < isDrawn.size(); ++column) {
    if (isDrawn[column])
      continue;
    Curves metric(report.validation[column]);
    metric.add(*report.history, "validation", validation, column);
    metrics += metric.svg();
  }
  return losses.svg() + metrics;
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
