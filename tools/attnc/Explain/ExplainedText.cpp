#include "tools/attnc/Explain/ExplainedText.h"
#include <fmt/format.h>

namespace attnc {

/// "1.84 G", "12 k", "512": three digits and a prefix.
static std::string scaled(double value) {
  static constexpr std::pair<double, const char *> prefixes[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (auto [unit, prefix] : prefixes)
    if (value >= unit)
      return fmt::format("{:.3g}{}", value / unit, prefix);
  return fmt::format("{:.3g}", value);
}

static std::string milliseconds(double seconds) { return fmt::format("{:.4f}", 1e3 * seconds); }

void printCosts(const ExplainedModel &model, const ExplainedEntry &entry, llvm::raw_ostream &out) {
  if (entry.totals.empty())
    return;
  bool isMeasured = entry.measuredSeconds.has_value();
  out << "cost of a call of " << entry.name;
  if (isMeasured)
    out << ", measured " << milliseconds(*entry.measuredSeconds) << " ms";
  out << '\n';
  out << fmt::format("  {:<32} {:<15} {:>8} {:>8} {:>8} {:>10}", "kernel", "kind", "launches", "flops", "bytes",
                     "flops/byte");
  out << (isMeasured ? fmt::format(" {:>11} {:>8}\n", "measured ms", "GFLOP/s") : "\n");
  for (const ExplainedTotal &total : entry.totals) {
    const ExplainedKernel &kernel = model.kernels[total.kernel];
    out << fmt::format("  {:<32} {:<15} {:>8} {:>8} {:>8} {:>10.2f}", kernel.name, kernel.kind, total.launches,
                       scaled(double(total.cost.flops)), scaled(double(total.cost.bytes())), total.cost.intensity());
    if (total.measured)
      out << fmt::format(" {:>11} {:>8.1f}", milliseconds(total.measured->seconds),
                         1e-9 * double(total.cost.flops) / total.measured->seconds);
    out << '\n';
  }
  if (!entry.unmeasured.empty())
    out << "  not measured: " << entry.unmeasured << '\n';
}

} // namespace attnc
