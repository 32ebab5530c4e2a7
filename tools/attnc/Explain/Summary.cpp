#include "tools/attnc/Explain/Summary.h"
#include "compiler/Memory/Peak.h"
#include "tools/attnc/ExplainedModel/Quantities.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>

using namespace llvm;

namespace attnc {

static constexpr size_t columns = 120, nameColumns = 36; ///< of a line; of the name of a kernel
static constexpr size_t mostKernels = 12, mostEdges = 3;

NamedSizes assumedSizes(ArrayRef<EntryPlan> entries, const NamedSizes &at) {
  std::map<std::string, int64_t> assumed;
  for (const EntryPlan &plan : entries) {
    auto dimensions = mlir::func::FuncOp(plan.entry)->getAttrOfType<mlir::ArrayAttr>(mlir::model::dimensionsAttrName);
    for (auto [dimension, name] : zip(dimensions, plan.symbols)) {
      bool isGiven = any_of(at, [&name = name](const auto &each) { return each.first == name; });
      if (!isGiven && cast<mlir::model::DimensionAttr>(dimension).getMax() <= 0)
        assumed[name] = name == "batch" ? 1 : 256;
    }
  }
  return {assumed.begin(), assumed.end()};
}

/// Prints `text` in lines of at most 120 columns; lines after the first begin with `indent` spaces.
static void printWrapped(StringRef text, size_t indent, raw_ostream &out) {
  std::string line(text.size() - text.ltrim().size(), ' ');
  bool isFirst = true; // first word of a line
  for (StringRef word : split(text.ltrim(), ' ')) {
    if (!isFirst && line.size() + 1 + word.size() > columns) {
      out << line << '\n';
      line.assign(indent, ' ');
      isFirst = true;
    }
    line += (isFirst ? "" : " ") + word.str();
    isFirst = false;
  }
  out << line << '\n';
}

static std::string shortened(const std::string &text, size_t length) {
  return text.size() <= length ? text : text.substr(0, length - 3) + "...";
}

namespace {

/// The cost of a call of an entry point and of each kernel: measured seconds, else predicted seconds, else flops.
class CallCost {
public:
  explicit CallCost(const ExplainedEntry &entry)
      : isMeasured(entry.measuredSeconds.has_value()),
        isTimed(isMeasured || any_of(entry.totals, [](const ExplainedTotal &each) { return each.predicted; })) {
    for (const ExplainedTotal &total : entry.totals)
      sum += of(total);
  }
  double of(const ExplainedTotal &total) const {
    if (!isTimed)
      return double(total.cost.keptFlops.value_or(total.cost.flops));
    if (isMeasured)
      return total.measured ? total.measured->seconds : 0;
    return total.predicted ? total.predicted->seconds : 0;
  }
  double share(double part) const { return sum > 0 ? 100 * part / sum : 0; }
  std::string text(double part) const { return isTimed ? milliseconds(part) : scaled(part); }
  const char *unit() const { return isTimed ? "ms" : "flop"; }

  bool isMeasured, isTimed;
  double sum = 0;
};

/// An edge between two kernels that was not fused.
struct LeftEdge {
  std::string name; ///< module paths and kinds of its two kernels
  const ExplainedDecision *decision;
  double bytes = 0; ///< written and read in a call
};

class SummaryPrinter {
public:
  SummaryPrinter(const ExplainedModel &model, const NamedSizes &assumed, raw_ostream &out)
      : model(model), assumed(assumed), out(out) {}
  void print();

private:
  void printHeading();
  /// Selects the kernels that have a line: the costliest ones, in the first entry point that runs each.
  void chooseKernels();
  void printEntry(const ExplainedEntry &entry);
  void printKernel(const ExplainedTotal &total, const CallCost &cost);
  std::string edgeName(const ExplainedLaunch &from, const ExplainedLaunch &to) const;
  std::vector<LeftEdge> costliestEdges() const;

  const ExplainedModel &model;
  const NamedSizes &assumed;
  raw_ostream &out;
  std::set<size_t> chosen, seen; ///< kernels that have a line; kernels of previous entry points
};

} // namespace

static std::string sizesText(const NamedSizes &sizes) {
  std::string text;
  for (const auto &[name, size] : sizes)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, size);
  return text;
}

void SummaryPrinter::printHeading() {
  out << fmt::format("{} for {}: {} kernel{}\n", model.source, model.target, model.kernels.size(),
                     model.kernels.size() == 1 ? "" : "s");
  if (model.machine)
    out << fmt::format("predicted for {} ({})\n", model.machine->name, model.machine->origin);
  if (!assumed.empty())
    printWrapped("sizes without a bound, assumed if --at gives none: " + sizesText(assumed), 2, out);
  out << fmt::format("  {:<{}} {:<15} {:>8} {:>10} {:>7}  {}\n", "kernel", nameColumns, "kind", "launches",
                     model.machine ? "ms" : "flop", "share", "fused into it");
}

void SummaryPrinter::chooseKernels() {
  std::vector<std::pair<double, size_t>> costs;
  std::set<size_t> found;
  for (const ExplainedEntry &entry : model.entries)
    for (const ExplainedTotal &total : entry.totals)
      if (found.insert(total.kernel).second)
        costs.emplace_back(CallCost(entry).of(total), total.kernel);
  std::ranges::stable_sort(costs, std::greater(), &std::pair<double, size_t>::first);
  for (const auto &[cost, kernel] : ArrayRef(costs).take_front(mostKernels))
    chosen.insert(kernel);
}

void SummaryPrinter::printEntry(const ExplainedEntry &entry) {
  if (!entry.problem.empty()) {
    printWrapped(entry.name + ": " + entry.problem, 2, out);
    return;
  }
  CallCost cost(entry);
  size_t above = 0, hidden = 0;
  double hiddenCost = 0;
  std::vector<const ExplainedTotal *> shown;
  for (const ExplainedTotal &total : entry.totals) {
    bool isNew = seen.insert(total.kernel).second, hasLine = chosen.contains(total.kernel);
    if (isNew && hasLine)
      shown.push_back(&total);
    above += !isNew && hasLine;
    hidden += !hasLine;
    hiddenCost += hasLine ? 0 : cost.of(total);
  }
  std::string head =
      fmt::format("{}: {} {} a call{} at {}", entry.name, cost.text(entry.measuredSeconds.value_or(cost.sum)),
                  cost.unit(), cost.isMeasured ? ", measured," : "", sizesText(entry.sizes));
  if (above)
    head += fmt::format("; {} of its {} kernels are above", above, entry.totals.size());
  if (hidden)
    head += fmt::format("; {} kernel{} ({:.1f} %) not shown", hidden, hidden == 1 ? "" : "s", cost.share(hiddenCost));
  printWrapped(head, 2, out);
  if (!entry.unmeasured.empty())
    printWrapped("  not measured: " + entry.unmeasured, 4, out);
  for (const ExplainedTotal *total : shown)
    printKernel(*total, cost);
}

void SummaryPrinter::printKernel(const ExplainedTotal &total, const CallCost &cost) {
  const ExplainedKernel &kernel = model.kernels[total.kernel];
  std::string line =
      fmt::format("  {:<{}} {:<15} {:>8} {:>10} {:>5.1f} %  ", shortened(kernel.nameInModel(), nameColumns),
                  nameColumns, kernel.kind, total.launches, cost.text(cost.of(total)), cost.share(cost.of(total)));
  line += shortened(join(kernel.fused, ", "), columns - line.size());
  out << StringRef(line).rtrim() << '\n';
}

std::string SummaryPrinter::edgeName(const ExplainedLaunch &from, const ExplainedLaunch &to) const {
  if (from.modelPath != to.modelPath)
    return fmt::format("{} -> {}", from.modelPath, to.modelPath);
  return fmt::format("{} ({}) -> {} ({})", from.modelPath, model.kernels[from.kernel].kind, to.modelPath,
                     model.kernels[to.kernel].kind);
}

/// Edges with the same places and reason are one edge, that of the entry point in which it costs most.
std::vector<LeftEdge> SummaryPrinter::costliestEdges() const {
  std::map<std::pair<std::string, std::string>, LeftEdge> all;
  for (const ExplainedEntry &entry : model.entries) {
    std::map<std::pair<std::string, std::string>, LeftEdge> ofEntry;
    for (const ExplainedEdge &edge : entry.edges) {
      if (!edge.from || !edge.to)
        continue;
      const ExplainedLaunch &from = entry.launches[*edge.from], &to = entry.launches[*edge.to];
      auto decision = find_if(model.decisions, [&](const ExplainedDecision &each) {
        return !each.isMade && each.entry == entry.name && each.what == model.kernels[from.kernel].name &&
               each.into == model.kernels[to.kernel].name;
      });
      if (decision == model.decisions.end())
        continue;
      std::string name = edgeName(from, to);
      LeftEdge &left = ofEntry[{name, decision->reason}];
      left = {name, &*decision, left.bytes + double(edge.bytes) * double(from.times + to.times)};
    }
    for (const auto &[key, edge] : ofEntry)
      if (auto [found, isNew] = all.insert({key, edge}); !isNew && found->second.bytes < edge.bytes)
        found->second = edge;
  }
  std::vector<LeftEdge> edges;
  for (const auto &[key, edge] : all)
    edges.push_back(edge);
  std::ranges::stable_sort(edges, std::greater(), &LeftEdge::bytes);
  edges.resize(std::min(edges.size(), mostEdges));
  return edges;
}

void SummaryPrinter::print() {
  printHeading();
  chooseKernels();
  for (const ExplainedEntry &entry : model.entries)
    printEntry(entry);
  std::vector<LeftEdge> edges = costliestEdges();
  if (!edges.empty())
    out << "costliest edges left, by the bytes that a call writes and reads\n";
  for (const LeftEdge &edge : edges) {
    printWrapped(fmt::format("  {}, {}: {}", edge.name, megabytes(int64_t(edge.bytes)), edge.decision->text), 6, out);
    if (!edge.decision->change.empty())
      printWrapped("      to change it: " + edge.decision->change, 8, out);
  }
  out << "--all prints every decision, memory, and costs by the symbol of each kernel\n";
}

void printSummary(const ExplainedModel &model, const NamedSizes &assumed, raw_ostream &out) {
  SummaryPrinter(model, assumed, out).print();
}

} // namespace attnc
