#include "tools/attnc/Compare/CompareReport.h"
#include "compiler/Memory/Peak.h"
#include "tools/attnc/Explain/Quantities.h"
#include "tools/attnc/Page/Chart.h"
#include "tools/attnc/Page/HtmlPage.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

static std::string sizesText(const Comparison &comparison) {
  std::string text;
  for (const auto &[name, size] : comparison.sizes)
    text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(size);
  return text;
}

static std::string titleOf(const Comparison &comparison) {
  return fmt::format("{}, {} at {}, {} thread{}, median of {} calls", comparison.source, comparison.entry,
                     sizesText(comparison), comparison.threads, comparison.threads == 1 ? "" : "s",
                     comparison.repetitions);
}

/// "2.5e-06 of 0.000127", or why it is wrong.
static std::string errorText(const Comparison &comparison, const Candidate &candidate) {
  const Deviation *worst = candidate.nearest(comparison.tolerance);
  if (!worst)
    return "not checked";
  return fmt::format("{:.3g} of {:.3g}{}", worst->difference, worst->limit(comparison.tolerance),
                     candidate.isWrong(comparison.tolerance) ? " WRONG: " + worst->name : std::string());
}

static std::string emittersText(const Candidate &candidate) {
  std::string text;
  for (const auto &[emitter, count] : candidate.kernels)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, emitter);
  return text;
}

static double timeOf(const Candidate &candidate) { return median(candidate.seconds); }

/// The candidate's numbers are those of another one where both are the same code.
static const Candidate &measured(const Comparison &comparison, const Candidate &candidate) {
  return candidate.sameAs ? comparison.candidates[*candidate.sameAs] : candidate;
}

/// What a compile said that the default's did not say.
static std::vector<std::string> ownRemarks(const Comparison &comparison, const Candidate &candidate) {
  const Candidate &first = comparison.candidates.front();
  std::vector<std::string> own;
  for (const std::string &remark : candidate.remarks)
    if (&candidate == &first || !is_contained(first.remarks, remark))
      own.push_back(remark);
  return own;
}

/// A number of JSON, which has none that is infinite.
static json::Value finite(double number) { return std::isfinite(number) ? json::Value(number) : nullptr; }

static std::vector<std::string> headings() {
  return {"strategy", "ms", "x default", "arena", "largest", "traffic", "error, of what is allowed", "kernels"};
}

static std::vector<std::string> cellsOf(const Comparison &comparison, const Candidate &candidate) {
  const std::string &name = candidate.strategy.name;
  if (candidate.sameAs)
    return {name, "", "", "", "", "", "the same code as " + measured(comparison, candidate).strategy.name, ""};
  if (!candidate.problem.empty())
    return {name, "", "", "", "", "", candidate.problem, ""};
  return {name,
          milliseconds(timeOf(candidate)),
          fmt::format("{:.2f}", timeOf(candidate) / timeOf(comparison.candidates.front())),
          megabytes(candidate.arenaBytes),
          megabytes(candidate.largestBytes),
          megabytes(candidate.trafficBytes),
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
      bool isNumber = column > 0 && column < 6;
      if (isReason && isNumber)
        continue;
      line += isNumber ? fmt::format("  {:>{}}", row[column], widths[column])
                       : fmt::format("  {:<{}}", row[column], isReason && column > 0 ? 0 : widths[column]);
    }
    out << StringRef(line).rtrim() << '\n';
  }
  for (const Candidate &each : comparison.candidates)
    for (const std::string &remark : ownRemarks(comparison, each))
      out << each.strategy.name << ": " << remark << '\n';
}

static void writeNumbers(const Comparison &comparison, const Candidate &candidate, json::OStream &out) {
  out.attribute("milliseconds", 1e3 * timeOf(candidate));
  out.attribute("times_default", timeOf(candidate) / timeOf(comparison.candidates.front()));
  out.attribute("arena_bytes", candidate.arenaBytes);
  out.attribute("largest_bytes", candidate.largestBytes);
  out.attribute("traffic_bytes", candidate.trafficBytes);
  if (const Deviation *worst = candidate.nearest(comparison.tolerance)) {
    out.attribute("difference", finite(worst->difference));
    out.attribute("allowed", finite(worst->limit(comparison.tolerance)));
    out.attribute("right", !candidate.isWrong(comparison.tolerance));
  }
  out.attributeArray("kernels", [&] {
    for (const Profile::Line &line : candidate.times)
      out.object([&] {
        out.attribute("name", line.name);
        out.attribute("kind", line.kind);
        out.attribute("milliseconds", 1e3 * median(line.seconds));
      });
  });
}

void writeJson(const Comparison &comparison, raw_ostream &stream) {
  json::OStream out(stream, 2);
  out.object([&] {
    out.attribute("source", comparison.source);
    out.attribute("entry", comparison.entry);
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

/// The kernels of each strategy, those that take longest first.
static std::string kernelTable(const Comparison &comparison) {
  std::vector<std::vector<std::string>> rows;
  for (const Candidate &candidate : comparison.candidates) {
    std::vector<Profile::Line> lines = candidate.times;
    stable_sort(lines, [](const auto &a, const auto &b) { return median(a.seconds) > median(b.seconds); });
    for (const Profile::Line &line : lines)
      rows.push_back({candidate.strategy.name, line.name, line.kind, milliseconds(median(line.seconds))});
  }
  return table({"strategy", "kernel", "kind", "ms"}, rows);
}

Error writePage(const std::string &path, const Comparison &comparison) {
  BarChart times{"time of a call by strategy", "ms", {}}, traffic{"bytes moved by strategy", "MB", {}},
      memory{"arena by strategy", "MB", {}};
  std::vector<std::vector<std::string>> rows, about, remarks;
  for (const Candidate &each : comparison.candidates) {
    rows.push_back(cellsOf(comparison, each));
    std::string overrides;
    for (const Override &setting : each.strategy.overrides)
      overrides += (overrides.empty() ? "" : ", ") + textOf(setting);
    about.push_back({each.strategy.name, each.strategy.about, overrides});
    for (const std::string &remark : ownRemarks(comparison, each))
      remarks.push_back({each.strategy.name, remark});
    if (!each.isMeasured())
      continue;
    double ratio = timeOf(each) / timeOf(comparison.candidates.front());
    times.bars.push_back({each.strategy.name, 1e3 * timeOf(each), fmt::format("{:.2f} x", ratio)});
    traffic.bars.push_back({each.strategy.name, 1e-6 * double(each.trafficBytes), ""});
    memory.bars.push_back({each.strategy.name, 1e-6 * double(each.arenaBytes), ""});
  }
  HtmlPage page{"Strategies of " + comparison.source};
  page.sections = {{"", "<p>" + escaped(titleOf(comparison)) + "</p>\n" + table(headings(), rows)},
                   {"Time", svgOf(times)},
                   {"Bytes that kernels read and write", svgOf(traffic)},
                   {"Arena", svgOf(memory)},
                   {"Kernels", kernelTable(comparison)},
                   {"What the strategies say", table({"strategy", "", "overrides"}, about)}};
  if (!remarks.empty())
    page.sections.push_back({"What compiling by them said", table({"strategy", "remark"}, remarks)});
  return writePage(path, page);
}

} // namespace attnc
