#include "tools/attnc/Explain/ExplainedText.h"
#include "tools/attnc/ExplainedModel/Quantities.h"
#include <fmt/format.h>

namespace attnc {

/// Prints the share of unmasked query–key pairs of each mask that does not depend on data.
static void printMasks(const ExplainedModel &model, const ExplainedEntry &entry, llvm::raw_ostream &out) {
  for (const ExplainedLaunch &launch : entry.launches)
    if (launch.mask && launch.mask->problem.empty())
      out << fmt::format("  the mask of {}: {}\n", model.kernels[launch.kernel].name, summaryOf(*launch.mask));
}

void printCosts(const ExplainedModel &model, const ExplainedEntry &entry, llvm::raw_ostream &out) {
  if (!entry.problem.empty() && !entry.sizes.empty()) // the report on memory states missing sizes
    out << "cost of a call of " << entry.name << ": " << entry.problem << '\n';
  if (entry.totals.empty())
    return;
  out << "cost of a call of " << entry.name;
  if (entry.measuredSeconds)
    out << ", measured " << milliseconds(*entry.measuredSeconds) << " ms";
  if (model.machine)
    out << ", predicted for " << model.machine->name << " (" << model.machine->origin << ")";
  out << '\n';
  out << fmt::format("  {:<32} {:<15} {:>8} {:>8} {:>8} {:>10}", "kernel", "kind", "launches", "flops", "bytes",
                     "flops/byte");
  out << (model.machine ? fmt::format(" {:>12} {:<8}", "predicted ms", "bound") : "");
  out << (entry.measuredSeconds ? fmt::format(" {:>11} {:>8}\n", "measured ms", "GFLOP/s") : "\n");
  for (const ExplainedTotal &total : entry.totals) {
    const ExplainedKernel &kernel = model.kernels[total.kernel];
    out << fmt::format("  {:<32} {:<15} {:>8} {:>8} {:>8} {:>10.2f}", kernel.name, kernel.kind, total.launches,
                       scaled(double(total.cost.flops)), scaled(double(total.cost.bytes())), total.cost.intensity());
    if (total.predicted)
      out << fmt::format(" {:>12} {:<8}", milliseconds(total.predicted->seconds), total.predicted->bound);
    if (total.measured)
      out << fmt::format(" {:>11} {:>8.1f}", milliseconds(total.measured->seconds),
                         1e-9 * double(total.cost.keptFlops.value_or(total.cost.flops)) / total.measured->seconds);
    out << '\n';
  }
  printMasks(model, entry, out);
  if (!entry.unmeasured.empty())
    out << "  not measured: " << entry.unmeasured << '\n';
}

} // namespace attnc
