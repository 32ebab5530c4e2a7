#include "tools/attnc/Compare/CompareReport.h"
#include "compiler/Memory/Peak.h"
#include "tools/attnc/ExplainedModel/Quantities.h"
#include "tools/attnc/Page/Chart.h"
#include "tools/attnc/Page/HtmlPage.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <fmt/format.h>
#include <map>

using namespace llvm;

namespace attnc {

static std::string sizesText(const Comparison &comparison) {
  std::string text;
  for (const auto &[name, size] : comparison.sizes)
    text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(size);
  return text;
}

static std::string titleOf(const Comparison &comparison) {
  std::string region = comparison.region.isWhole() ? "" : ", region " + comparison.region.name();
  return fmt::format("{}, {}{} at {}, {} thread{}, median of {} calls", comparison.source, comparison.entry, region,
                     sizesText(comparison), comparison.threads, comparison.threads == 1 ? "" : "s",
                     comparison.repetitions);
}

/// "2.5e-06 of 0.000127", or the reason why the result is wrong.
static std::string errorText(const Comparison &comparison, const Candidate &candidate) {
  const Deviation *worst = candidate.nearest(comparison.tolerance);
  if (!worst)
    return "not checked";
  return fmt::format("{:.3g} of {:.3g}{}", worst->difference, worst->limit(comparison.tolerance),
                     candidate.isWrong(comparison.tolerance) ? " WRONG: " + worst->name : std::string());
}

static std::string emittersText(const Candidate &candidate) {
  std::map<std::string, int> counts;
  for (const CandidateKernel &kernel : candidate.kernels)
    ++counts[kernel.emitter];
  std::string text;
  for (const auto &[emitter, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, emitter);
  return text;
}

static double callSeconds(const Candidate &candidate) { return median(candidate.seconds); }

/// The compared time: that of a call, or of the kernels of the region.
static double timeOf(const Comparison &comparison, const Candidate &candidate) {
  return comparison.region.isWhole() ? callSeconds(candidate) : candidate.kernelSeconds();
}

static double timesDefault(const Comparison &comparison, const Candidate &candidate) {
  return timeOf(comparison, candidate) / timeOf(comparison, comparison.candidates.front());
}

/// The candidate whose numbers are printed: an earlier one if it has the same code.
static const Candidate &measured(const Comparison &comparison, const Candidate &candidate) {
  return candidate.sameAs ? comparison.candidates[*candidate.sameAs] : candidate;
}

/// The remarks of a compile that the default's compile did not make.
static std::vector<std::string> ownRemarks(const Comparison &comparison, const Candidate &candidate) {
  const Candidate &first = comparison.candidates.front();
  std::vector<std::string> own;
  for (const std::string &remark : candidate.remarks)
    if (&candidate == &first || !is_contained(first.remarks, remark))
      own.push_back(remark);
  return own;
}

/// A line with the kernels whose code differs from the default's, and those that compute more than the region; empty if
/// all kernels are those of the default.
static std::vector<std::string> codeRemarks(const Comparison &comparison, const Candidate &candidate) {
  constexpr size_t most = 6;
  if (!candidate.isMeasured())
    return {};
  std::vector<std::string> others, beyond, remarks;
  for (const CandidateKernel &kernel : candidate.kernels) {
    if (!kernel.isAsDefault)
      others.push_back(kernel.name);
    if (kernel.reachesBeyond)
      beyond.push_back(kernel.name);
  }
  auto list = [&](const std::vector<std::string> &names) {
    std::string text = join(ArrayRef(names).take_front(most), ", ");
    return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
  };
  bool isDefault = &candidate == &comparison.candidates.front();
  if (!others.empty())
    remarks.push_back(fmt::format("{} of {} kernels differ from the default: {}", others.size(),
                                  candidate.kernels.size(), list(others)));
  else if (!isDefault)
    remarks.push_back("the default's kernels, in other calls");
  if (!beyond.empty())
    remarks.push_back("these kernels compute more than the region: " + list(beyond));
  return remarks;
}

static std::vector<std::string> remarksOf(const Comparison &comparison, const Candidate &candidate) {
  std::vector<std::string> remarks = codeRemarks(comparison, candidate);
  append_range(remarks, ownRemarks(comparison, candidate));
  return remarks;
}

/// A number in JSON; null if it is not finite.
static json::Value finite(double number) { return std::isfinite(number) ? json::Value(number) : nullptr; }

static std::vector<std::string> headings() {
  return {"strategy", "ms", "in kernels", "x default", "arena", "largest", "traffic", "error, of the limit", "kernels"};
}

static std::vector<std::string> cellsOf(const Comparison &comparison, const Candidate &candidate) {
  const std::string &name = candidate.strategy.name;
  if (candidate.sameAs)
    return {name, "", "", "", "", "", "", "the same code as " + measured(comparison, candidate).strategy.name, ""};
  if (!candidate.problem.empty())
    return {name, "", "", "", "", "", "", candidate.problem, ""};
  return {name,
          milliseconds(callSeconds(candidate)),
          milliseconds(candidate.kernelSeconds()),
          fmt::format("{:.2f}", timesDefault(comparison, candidate)),
          megabytes(candidate.arenaBytes),
          megabytes(candidate.largestBytes),
          megabytes(candidate.trafficBytes()),
          errorText(comparison, candidate),
          emittersText(candidate)};
}

void printTable(const Comparison &comparison, raw_ostream &out) {
  out << titleOf(comparison) << '\n';
  std::vector<std::vector<std::string>> rows = {headings()};
  for (const Candidate &each : comparison.candidates)
    rows.push_back(cellsOf(comparison, each));
  size_t columns = rows[0].size();
  std::vector<size_t> widths(columns);
  for (size_t row = 0; row < rows.size(); ++row)
    for (size_t column = 0; column < columns; ++column)
      if (row == 0 || !rows[row][1].empty() || column == 0)
        widths[column] = std::max(widths[column], rows[row][column].size());
  for (const auto &row : rows) {
    std::string line;
    bool isReason = row[1].empty();
    for (size_t column = 0; column < columns; ++column) {
      bool isNumber = column > 0 && column < 7;
      if (isReason && isNumber)
        continue;
      line += isNumber ? fmt::format("  {:>{}}", row[column], widths[column])
                       : fmt::format("  {:<{}}", row[column], isReason && column > 0 ? 0 : widths[column]);
    }
    out << StringRef(line).rtrim() << '\n';
  }
  for (const Candidate &each : comparison.candidates)
    for (const std::string &remark : remarksOf(comparison, each))
      out << each.strategy.name << ": " << remark << '\n';
}

static void writeNumbers(const Comparison &comparison, const Candidate &candidate, json::OStream &out) {
  out.attribute("milliseconds", 1e3 * callSeconds(candidate));
  out.attribute("kernel_milliseconds", 1e3 * candidate.kernelSeconds());
  out.attribute("times_default", timesDefault(comparison, candidate));
  out.attribute("arena_bytes", candidate.arenaBytes);
  out.attribute("largest_bytes", candidate.largestBytes);
  out.attribute("traffic_bytes", candidate.trafficBytes());
  if (const Deviation *worst = candidate.nearest(comparison.tolerance)) {
    out.attribute("difference", finite(worst->difference));
    out.attribute("allowed", finite(worst->limit(comparison.tolerance)));
    out.attribute("right", !candidate.isWrong(comparison.tolerance));
  }
  out.attributeArray("kernels", [&] {
    for (const CandidateKernel &kernel : candidate.kernels)
      out.object([&] {
        out.attribute("name", kernel.name);
        out.attribute("kind", kernel.kind);
        out.attribute("emitter", kernel.emitter);
        out.attribute("as_default", kernel.isAsDefault);
        if (kernel.reachesBeyond)
          out.attribute("beyond_region", true);
        out.attribute("milliseconds", 1e3 * candidate.secondsOf(kernel));
      });
  });
}

void writeJson(const Comparison &comparison, raw_ostream &stream) {
  json::OStream out(stream, 2);
  out.object([&] {
    out.attribute("source", comparison.source);
    out.attribute("entry", comparison.entry);
    if (!comparison.region.isWhole())
      out.attribute("region", comparison.region.name());
    out.attributeObject("sizes", [&] {
      for (const auto &[name, size] : comparison.sizes)
        out.attribute(name, size);
    });
    out.attribute("threads", comparison.threads);
    out.attribute("repetitions", comparison.repetitions);
    out.attributeArray("strategies", [&] {
      for (const Candidate &candidate : comparison.candidates)
        out.object([&] {
          out.attribute("name", candidate.strategy.name);
          out.attributeArray("overrides", [&] {
            for (const Override &each : candidate.strategy.overrides)
              out.value(textOf(each));
          });
          if (!candidate.problem.empty())
            return out.attribute("problem", candidate.problem);
          out.attributeArray("remarks", [&] {
            for (const std::string &remark : ownRemarks(comparison, candidate))
              out.value(remark);
          });
          if (candidate.sameAs)
            out.attribute("same_as", measured(comparison, candidate).strategy.name);
          writeNumbers(comparison, measured(comparison, candidate), out);
        });
    });
  });
  stream << '\n';
}

/// The kernels of each strategy, in descending order of their times.
static std::string kernelTable(const Comparison &comparison) {
  std::vector<std::vector<std::string>> rows;
  for (const Candidate &candidate : comparison.candidates) {
    std::vector<std::pair<double, const CandidateKernel *>> kernels;
    for (const CandidateKernel &kernel : candidate.kernels)
      if (candidate.isMeasured())
        kernels.emplace_back(-candidate.secondsOf(kernel), &kernel);
    sort(kernels); // kernels with equal times stay in the order in which they run
    for (const auto &[seconds, kernel] : kernels)
      rows.push_back({candidate.strategy.name, kernel->name, kernel->kind, kernel->emitter, milliseconds(-seconds),
                      kernel->isAsDefault ? "same as default" : ""});
  }
  return table({"strategy", "kernel", "kind", "emitter", "ms", "code"}, rows);
}

Error writePage(const std::string &path, const Comparison &comparison) {
  bool isWhole = comparison.region.isWhole();
  BarChart times{isWhole ? "time of a call by strategy" : "time of the region's kernels by strategy", "ms", {}},
      traffic{"bytes moved by strategy", "MB", {}}, memory{"arena by strategy", "MB", {}};
  std::vector<std::vector<std::string>> rows, about, remarks;
  for (const Candidate &each : comparison.candidates) {
    rows.push_back(cellsOf(comparison, each));
    std::string overrides;
    for (const Override &setting : each.strategy.overrides)
      overrides += (overrides.empty() ? "" : ", ") + textOf(setting);
    about.push_back({each.strategy.name, each.strategy.about, overrides});
    for (const std::string &remark : remarksOf(comparison, each))
      remarks.push_back({each.strategy.name, remark});
    if (!each.isMeasured())
      continue;
    times.bars.push_back(
        {each.strategy.name, 1e3 * timeOf(comparison, each), fmt::format("{:.2f} x", timesDefault(comparison, each))});
    traffic.bars.push_back({each.strategy.name, 1e-6 * double(each.trafficBytes()), ""});
    memory.bars.push_back({each.strategy.name, 1e-6 * double(each.arenaBytes), ""});
  }
  HtmlPage page{"Strategies of " + comparison.source};
  page.sections = {{"", "<p>" + escaped(titleOf(comparison)) + "</p>\n" + table(headings(), rows)},
                   {"Time", svgOf(times)},
                   {"Bytes that kernels read and write", svgOf(traffic)},
                   {"Arena", svgOf(memory)},
                   {"Kernels", kernelTable(comparison)},
                   {"Strategies", table({"strategy", "", "overrides"}, about)}};
  if (!remarks.empty())
    page.sections.push_back({"Remarks", table({"strategy", "remark"}, remarks)});
  return writePage(path, page);
}

} // namespace attnc
