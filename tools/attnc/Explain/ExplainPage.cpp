#include "tools/attnc/Explain/ExplainPage.h"
#include "compiler/Memory/Peak.h"
#include "tools/attnc/ExplainedModel/Quantities.h"
#include "tools/attnc/Page/Chart.h"
#include "tools/attnc/Page/Graph.h"
#include "tools/attnc/Page/ShadeMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace attnc {

/// One colour for each kind of kernel, in all charts.
static unsigned seriesOf(llvm::StringRef kind) {
  static constexpr llvm::StringLiteral kinds[] = {"gemm", "attend", "rows", "loops", "attend_gradient", "pack"};
  return unsigned(llvm::find(kinds, kind) - std::begin(kinds));
}

/// Replaces source locations in a text by "gpt.attn:41:9", without directories, because the page is for others, too.
static std::string withoutDirectories(llvm::StringRef text) {
  std::string result;
  for (llvm::StringRef word : llvm::split(text, ' '))
    result += (result.empty() ? "" : " ") + llvm::sys::path::filename(word).str();
  return result;
}

static std::string joined(const std::vector<std::string> &parts, llvm::StringRef between) {
  return llvm::join(parts, between);
}

//===------------------------------------------ the graph -------------------------------------------------------===//

namespace {

/// The graph of launches, inputs and results; parameters are in the tooltips of launches.
class LaunchGraph {
public:
  LaunchGraph(const ExplainedModel &model, const ExplainedEntry &entry) : model(model), entry(entry) {}

  Graph draw() {
    graph.label = "launches of " + entry.name;
    for (const ExplainedLoop &loop : entry.loops)
      graph.groups.push_back(
          {loop.iterations ? fmt::format("{} times", *loop.iterations) : "a number of times that depends on data",
           loop.within});
    for (const ExplainedEdge &edge : entry.edges)
      if (!edge.from && edge.to && !edge.isParameter)
        nodeOf(inputs, edge.name);
    firstLaunch = graph.nodes.size();
    for (const ExplainedLaunch &launch : entry.launches)
      graph.nodes.push_back(boxOf(launch));
    for (const ExplainedEdge &edge : entry.edges)
      connect(edge);
    return std::move(graph);
  }

private:
  GraphNode boxOf(const ExplainedLaunch &launch) const;
  size_t nodeOf(std::map<std::string, size_t> &nodes, const std::string &name);
  void connect(const ExplainedEdge &edge);

  const ExplainedModel &model;
  const ExplainedEntry &entry;
  Graph graph;
  size_t firstLaunch = 0;
  std::map<std::string, size_t> inputs, results; ///< numbers of nodes by name
};

} // namespace

GraphNode LaunchGraph::boxOf(const ExplainedLaunch &launch) const {
  const ExplainedKernel &kernel = model.kernels[launch.kernel];
  GraphNode node{kernel.name, {kernel.kind}};
  node.tooltip = fmt::format("{} FLOP, {} read, {} written, by {}", scaled(double(launch.cost.flops)),
                             megabytes(launch.cost.bytesRead), megabytes(launch.cost.bytesWritten), kernel.emitter);
  for (const ExplainedEdge &edge : entry.edges)
    if (!edge.from && edge.to && &entry.launches[*edge.to] == &launch && edge.isParameter)
      node.tooltip += fmt::format("\nreads {}: {}", edge.name, megabytes(edge.bytes));
  for (const std::string &place : kernel.places)
    node.tooltip += "\n" + withoutDirectories(place);
  node.group = launch.loop;
  node.series = seriesOf(kernel.kind);
  node.link = "#" + entry.name + "-" + kernel.name;
  return node;
}

size_t LaunchGraph::nodeOf(std::map<std::string, size_t> &nodes, const std::string &name) {
  auto [found, isNew] = nodes.insert({name, graph.nodes.size()});
  if (isNew) {
    graph.nodes.push_back({name});
    graph.nodes.back().isRound = true;
    graph.nodes.back().series = 7;
  }
  return found->second;
}

void LaunchGraph::connect(const ExplainedEdge &edge) {
  if (edge.isCarried || (!edge.from && edge.isParameter))
    return;
  size_t from = edge.from ? firstLaunch + *edge.from : nodeOf(inputs, edge.name);
  size_t to = edge.to ? firstLaunch + *edge.to : nodeOf(results, edge.name);
  if (from < to)
    graph.edges.push_back({from, to, megabytes(edge.bytes)});
}

//===------------------------------------------ costs -----------------------------------------------------------===//

static std::string costTable(const ExplainedModel &model, const ExplainedEntry &entry) {
  bool isPredicted = llvm::any_of(entry.totals, [](const ExplainedTotal &each) { return each.predicted.has_value(); });
  bool isMeasured = llvm::any_of(entry.totals, [](const ExplainedTotal &each) { return each.measured.has_value(); });
  std::vector<std::string> headings{"kernel", "kind", "emitter", "launches", "FLOP", "bytes", "FLOP/B"};
  if (isPredicted)
    headings.insert(headings.end(), {"predicted", "bound by"});
  if (isMeasured)
    headings.push_back("measured");
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> anchors;
  for (const ExplainedTotal &total : entry.totals) {
    const ExplainedKernel &kernel = model.kernels[total.kernel];
    anchors.push_back(entry.name + "-" + kernel.name);
    rows.push_back({kernel.name, kernel.kind, kernel.emitter, std::to_string(total.launches),
                    scaled(double(total.cost.flops)), scaled(double(total.cost.bytes())),
                    fmt::format("{:.2f}", total.cost.intensity())});
    if (isPredicted)
      rows.back().insert(rows.back().end(), {total.predicted ? milliseconds(total.predicted->seconds) + " ms" : "",
                                             total.predicted ? total.predicted->bound : ""});
    if (isMeasured)
      rows.back().push_back(total.measured ? milliseconds(total.measured->seconds) + " ms" : "");
  }
  return table(headings, rows, anchors);
}

//===------------------------------------------ roofline --------------------------------------------------------===//

/// The speed of each kernel, predicted and measured, by its operations for each byte, with a roof for each level of
/// memory. Only pairs that a mask keeps count, so a kernel whose mask depends on data has no point.
static Chart roofline(const ExplainedModel &model, const ExplainedEntry &entry) {
  constexpr double giga = 1e9;
  const Machine &machine = *model.machine;
  std::vector<double> intensities, speeds{machine.flops() / giga};
  Series predicted{"predicted", Series::Kind::Points, {}}, measured{"measured", Series::Kind::Points, {}};
  auto add = [&](Series &series, const ExplainedTotal &total, double seconds) {
    double speed = double(*total.cost.keptFlops) / seconds / giga;
    series.points.push_back({total.cost.keptIntensity(), speed, model.kernels[total.kernel].name});
    speeds.push_back(speed);
  };
  for (const ExplainedTotal &total : entry.totals)
    if (total.cost.keptFlops.value_or(0) > 0 && total.predicted) {
      intensities.push_back(total.cost.keptIntensity());
      add(predicted, total, total.predicted->seconds);
      if (total.measured)
        add(measured, total, total.measured->seconds);
    }
  auto [least, most] = std::minmax_element(intensities.begin(), intensities.end());
  std::vector<double> ends{intensities.empty() ? 0.1 : *least / 2, intensities.empty() ? 100 : *most * 2};
  Chart chart{"roofline of " + entry.name, Axis::over("FLOP/B", ends, true), Axis::over("GFLOP/s", speeds, true), {}};
  double left = chart.x.least, right = chart.x.most;
  for (const MemoryLevel &level : machine.levels) {
    Series roof{level.name, Series::Kind::Line, {}};
    double ridge = machine.flops() / level.read;
    for (double at : {left, std::clamp(ridge, left, right), right})
      roof.points.push_back({at, std::min(machine.flops(), at * level.read) / giga});
    chart.series.push_back(std::move(roof));
  }
  chart.series.push_back(std::move(predicted));
  if (!measured.points.empty())
    chart.series.push_back(std::move(measured));
  return chart;
}

//===------------------------------------------ memory ----------------------------------------------------------===//

static BoxChart arenaChart(const ExplainedEntry &entry) {
  auto [unit, name] = entry.arenaBytes < 10'000       ? std::pair(1.0, "bytes")
                      : entry.arenaBytes < 10'000'000 ? std::pair(1e3, "KB")
                                                      : std::pair(1e6, "MB");
  BoxChart chart{"arena of " + entry.name + " over its steps",
                 Axis::over("step", {0, double(entry.steps.size())}),
                 Axis::over(name, {0, double(entry.arenaBytes) / unit}),
                 {}};
  for (auto [number, storage] : llvm::enumerate(entry.arena))
    for (auto [first, last] : storage.live)
      chart.boxes.push_back({double(first), double(last) + 1, double(storage.offset) / unit,
                             double(storage.offset + storage.bytes) / unit, withoutDirectories(storage.name),
                             unsigned(number % 7)});
  return chart;
}

//===------------------------------------------ masks -----------------------------------------------------------===//

static std::string maskFigures(const ExplainedModel &model, const ExplainedEntry &entry) {
  std::vector<ShadeMap> maps;
  std::string others;
  std::set<size_t> seen; // kernels whose mask has been drawn
  for (const ExplainedLaunch &launch : entry.launches) {
    if (!launch.mask || !seen.insert(launch.kernel).second)
      continue;
    const MaskBlocks &mask = *launch.mask;
    const std::string &name = model.kernels[launch.kernel].name;
    if (!mask.problem.empty())
      others += fmt::format("<p>{}: no map, as {}.</p>\n", escaped(name), escaped(mask.problem));
    else
      maps.push_back({name + ": " + summaryOf(mask), mask.rows, mask.columns, mask.kept,
                      double(mask.blockKeys) / double(mask.blockQueries)});
  }
  if (maps.empty() && others.empty())
    return {};
  return "<h3>Masks</h3>\n<p>A row for each block of queries, a column for each block of keys; the darker, the more "
         "unmasked pairs. Empty blocks are not computed.</p>\n" +
         figuresOf(maps) + others;
}

//===------------------------------------------ the page --------------------------------------------------------===//

static HtmlPage::Section sectionOf(const ExplainedModel &model, const ExplainedEntry &entry) {
  std::vector<std::string> sizes;
  for (const auto &[name, size] : entry.sizes)
    sizes.push_back(fmt::format("{}={}", name, size));
  HtmlPage::Section section{entry.name, {}};
  section.body =
      fmt::format("<p>At {}: an arena of {}.</p>\n", escaped(joined(sizes, ", ")), megabytes(entry.arenaBytes));
  section.body += "<div class=\"wide\">" + svgOf(LaunchGraph(model, entry).draw()) + "</div>\n";
  section.body += "<h3>Kernels</h3>\n<div class=\"wide\">" + costTable(model, entry) + "</div>\n";
  if (model.machine && llvm::any_of(entry.totals, [](const ExplainedTotal &each) { return each.cost.flops > 0; }))
    section.body += "<h3>Roofline</h3>\n" + svgOf(roofline(model, entry)) +
                    fmt::format("<p>{}: {}. Masked pairs do not count as operations, and a gather counts at most the "
                                "bytes of the rows that it reads.</p>\n",
                                escaped(model.machine->name), escaped(model.machine->origin));
  if (!entry.arena.empty())
    section.body += "<h3>Arena</h3>\n" + svgOf(arenaChart(entry));
  return section.body += maskFigures(model, entry), section;
}

/// A section for all entry points without sizes.
static HtmlPage::Section withoutNumbers(const ExplainedModel &model) {
  std::vector<std::vector<std::string>> rows;
  for (const ExplainedEntry &entry : model.entries)
    if (!entry.problem.empty())
      rows.push_back({entry.name, entry.problem});
  return {"Entry points without costs", rows.empty() ? "" : table({"entry point", "why"}, rows)};
}

/// A table of decisions, with one row for decisions of equal text, and their number.
static HtmlPage::Section decisionsOf(const ExplainedModel &model, bool made) {
  std::vector<std::string> headings{"entry point", "what", "into", "bytes", "times", "reason"};
  std::vector<std::vector<std::string>> rows;
  std::map<std::vector<std::string>, size_t> seen; // numbers of rows
  if (!made)
    headings.push_back("change that would fuse it");
  constexpr size_t times = 4;
  for (const ExplainedDecision &decision : model.decisions) {
    if (decision.isMade != made)
      continue;
    std::vector<std::string> row{
        decision.entry, withoutDirectories(decision.what), withoutDirectories(decision.into), decision.bytes, "1",
        decision.text};
    if (!made)
      row.push_back(decision.change);
    auto [found, isNew] = seen.insert({row, rows.size()});
    if (isNew)
      rows.push_back(std::move(row));
    else
      rows[found->second][times] = std::to_string(std::stoul(rows[found->second][times]) + 1);
  }
  return {made ? "Fusions made" : "Edges left",
          rows.empty() ? "<p>Nothing.</p>\n" : "<div class=\"wide decisions\">" + table(headings, rows) + "</div>\n"};
}

HtmlPage pageOf(const ExplainedModel &model) {
  HtmlPage page{model.source};
  page.style = "body { max-width: 1200px; }\n"
               ".decisions td:nth-child(n+6) { min-width: 16em; }\n";
  page.sections.push_back({"", factTable({{"model", model.source}, {"target", model.target}})});
  for (const ExplainedEntry &entry : model.entries)
    if (entry.problem.empty())
      page.sections.push_back(sectionOf(model, entry));
  if (HtmlPage::Section section = withoutNumbers(model); !section.body.empty())
    page.sections.push_back(std::move(section));
  page.sections.push_back(decisionsOf(model, true));
  page.sections.push_back(decisionsOf(model, false));
  return page;
}

} // namespace attnc
