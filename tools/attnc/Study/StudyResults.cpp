#include "tools/attnc/Study/StudyResults.h"
#include "tools/attnc/Page/Chart.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

/// A row of an output as probabilities.
static std::vector<double> probabilitiesOf(ArrayRef<float> row) {
  std::vector<double> values(row.begin(), row.end());
  double sum = 0, least = *std::min_element(values.begin(), values.end());
  for (double value : values)
    sum += value;
  if (least >= 0 && std::abs(sum - 1) < 1e-4)
    return values;
  double most = *std::max_element(values.begin(), values.end());
  sum = 0;
  for (double &value : values)
    sum += value = std::exp(value - most);
  for (double &value : values)
    value /= sum;
  return values;
}

void OutputChange::add(const HostTensor &before, const HostTensor &after) {
  int64_t width = before.shape.back();
  for (int64_t row = 0; row < before.count() / width; ++row) {
    std::vector<double> p = probabilitiesOf({before.floats() + row * width, size_t(width)});
    std::vector<double> q = probabilitiesOf({after.floats() + row * width, size_t(width)});
    double distance = 0;
    for (int64_t i = 0; i < width; ++i)
      distance += std::abs(p[i] - q[i]) / 2;
    auto best = [](const std::vector<double> &values) {
      return std::max_element(values.begin(), values.end()) - values.begin();
    };
    ++rows;
    variation += distance;
    flipped += best(p) != best(q) ? 1 : 0;
  }
}

//===- As text ----------------------------------------------------------------------------------------------------===//

static std::vector<std::string> headings() {
  std::vector<std::string> words = {"head", "entropy", "largest weight", "saturated", "one key", "one weight"};
  for (Intervention each : interventions)
    words.push_back(fmt::format("{}: change", textOf(each)));
  for (Intervention each : interventions)
    words.push_back(fmt::format("{}: flipped", textOf(each)));
  return words;
}

static std::vector<std::string> cellsOf(const HeadResults &head) {
  const Concentration &rows = head.concentration;
  std::vector<std::string> cells = {head.name,
                                    fmt::format("{:.3f}", rows.meanEntropy()),
                                    fmt::format("{:.3f}", rows.meanLargest()),
                                    fmt::format("{:.3f}", rows.saturatedShare()),
                                    fmt::format("{:.3f}", rows.shareOfSingleKeyRows()),
                                    fmt::format("{:.3f}", rows.singleShare())};
  for (const OutputChange &change : head.changes)
    cells.push_back(fmt::format("{:.4f}", change.meanVariation()));
  for (const OutputChange &change : head.changes)
    cells.push_back(fmt::format("{:.4f}", change.flippedShare()));
  return cells;
}

std::string textOf(const StudyResults &results) {
  size_t widest = 4;
  for (const HeadResults &head : results.heads)
    widest = std::max(widest, head.name.size());
  std::string text = fmt::format("{:{}}  entropy  largest  saturated   one key  one weight  output changes, and "
                                 "decisions flip, where weights are\n{:{}}",
                                 "", widest, "head", widest + 53);
  for (Intervention each : interventions)
    text += fmt::format("{:>16}", textOf(each));
  for (const HeadResults &head : results.heads) {
    const Concentration &rows = head.concentration;
    text += fmt::format("\n{:{}}  {:7.3f}  {:7.3f}  {:7.1f} %  {:6.1f} %  {:8.1f} %", head.name, widest,
                        rows.meanEntropy(), rows.meanLargest(), 100 * rows.saturatedShare(),
                        100 * rows.shareOfSingleKeyRows(), 100 * rows.singleShare());
    for (const OutputChange &change : head.changes)
      text += fmt::format("  {:5.3f}  {:4.1f} %", change.meanVariation(), 100 * change.flippedShare());
  }
  return text + "\n";
}

std::string csvOf(const StudyResults &results) {
  std::string text;
  auto line = [&](ArrayRef<std::string> cells) {
    for (const std::string &cell : cells) {
      bool isQuoted = cell.find(',') != std::string::npos;
      text += (&cell == &cells.front() ? "" : ",") + (isQuoted ? '"' + cell + '"' : cell);
    }
    text += '\n';
  };
  line(headings());
  for (const HeadResults &head : results.heads)
    line(cellsOf(head));
  return text;
}

//===- As a page --------------------------------------------------------------------------------------------------===//

/// A line for each head, with a point for each intervention.
static std::string byHead(const StudyResults &results, const std::string &label,
                          double (OutputChange::*value)() const) {
  DotChart chart{label, {}, {}, {}};
  std::vector<double> values = {0};
  for (const HeadResults &head : results.heads)
    chart.rows.push_back(head.name);
  for (auto [kind, each] : llvm::enumerate(interventions)) {
    Series series{textOf(each), Series::Kind::Points, {}};
    for (auto [number, head] : llvm::enumerate(results.heads)) {
      double found = (head.changes[kind].*value)();
      series.points.push_back({found, double(number), head.name});
      values.push_back(found);
    }
    chart.series.push_back(std::move(series));
  }
  chart.x = Axis::over(label, values);
  return svgOf(chart);
}

/// A chart of the change of outputs by concentration of attention.
static std::string byWeight(const StudyResults &results) {
  Series points{"largest erased", Series::Kind::Points, {}};
  std::vector<double> changes = {0};
  ArrayRef<HeadResults> heads(results.heads);
  for (const HeadResults &head : heads.size() > 1 ? heads.drop_back() : heads) { // the last one is for all heads
    points.points.push_back({head.concentration.meanLargest(), head.changes[0].meanVariation(), head.name});
    changes.push_back(head.changes[0].meanVariation());
  }
  return svgOf(Chart{"change of the output by the weight that is erased",
                     Axis::over("mean of the largest weights of a head", {0, 1}),
                     Axis::over("change of the output", changes),
                     {std::move(points)}});
}

static std::string entropies(const StudyResults &results) {
  BarChart entropy{"entropy of attention by head", "nats", {}};
  for (const HeadResults &head : results.heads)
    entropy.bars.push_back({head.name, head.concentration.meanEntropy(),
                            fmt::format("{:.1f} % saturated", 100 * head.concentration.saturatedShare())});
  return svgOf(entropy);
}

HtmlPage studyPage(const StudyResults &results) {
  HtmlPage page{"Attention of " + results.model};
  page.sections.push_back({"", factTable(results.facts)});
  std::vector<std::vector<std::string>> rows;
  for (const HeadResults &head : results.heads)
    rows.push_back(cellsOf(head));
  page.sections.push_back(
      {"Change of the output",
       "<p>All rows of a head are changed at once. " + escaped(results.output) +
           " is compared with its original value: by total variation (0: equal, 1: disjoint), and by how often the "
           "position of its largest element changes. If erasing the largest weight changes no more than erasing "
           "another one, the weights say little about what the model needs.</p>\n" +
           byHead(results, "change of the output", &OutputChange::meanVariation) +
           byHead(results, "fraction of decisions flipped", &OutputChange::flippedShare)});
  page.sections.push_back({"Weight and change of the output", byWeight(results)});
  page.sections.push_back(
      {"Entropy and saturation",
       "<p>Mean entropy of rows, and the fraction of saturated rows, whose largest weight is above 0.95. Neither "
       "counts rows with one unmasked key. Rows with one weight have several keys, but one nonzero weight.</p>\n" +
           entropies(results)});
  page.style = "td:first-child { white-space: nowrap; }\n";
  page.sections.push_back({"All numbers", "<div class=\"wide\">" + table(headings(), rows) + "</div>\n"});
  return page;
}

} // namespace attnc
