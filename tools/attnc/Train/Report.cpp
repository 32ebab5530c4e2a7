#include "tools/attnc/Train/Report.h"
#include "tools/attnc/Page/Chart.h"
#include "tools/attnc/Page/HtmlPage.h"
#include "tools/attnc/Page/ShadeMap.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;

namespace attnc {

static std::string curves(const History &history) {
  Series training{"training", Series::Kind::Line, {}}, validation{"validation", Series::Kind::Line, {}};
  std::vector<double> steps{0}, losses;
  for (const HistoryPoint &point : history.points()) {
    training.points.push_back({double(point.step), point.loss});
    validation.points.push_back({double(point.step), point.validation.value_or(NAN)});
    steps.push_back(double(point.step));
    losses.insert(losses.end(), {point.loss, point.validation.value_or(NAN)});
  }
  return svgOf(Chart{"loss by steps",
                     Axis::over("steps", steps),
                     Axis::over("loss", losses),
                     {std::move(training), std::move(validation)}});
}

static std::string mapsText(const AttentionMaps &maps) {
  std::string text = "<p>A row for each query, a column for each key";
  for (auto [number, each] : enumerate(maps.texts))
    text += (number == 0 ? ", of <code>" : ", <code>") + escaped(each) + "</code>";
  return text + ". The shade is the square root of the weight.</p>\n" + figuresOf(maps.heads);
}

Error writeReport(const std::string &path, const Report &report) {
  HtmlPage page{report.title};
  page.sections.push_back({"", factTable(report.facts) + curves(*report.history)});
  if (!report.maps.heads.empty())
    page.sections.push_back({"What attention looks at", mapsText(report.maps)});
  return writePage(path, page);
}

} // namespace attnc
