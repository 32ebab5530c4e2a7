#include "compiler/Memory/Peak.h"
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

llvm::Expected<std::vector<int64_t>> sizesAt(const EntryPlan &plan, const NamedSizes &sizes) {
  std::vector<int64_t> result;
  auto dimensions = func::FuncOp(plan.entry)->getAttrOfType<ArrayAttr>(model::dimensionsAttrName);
  for (auto [number, name] : llvm::enumerate(plan.symbols)) {
    auto given = llvm::find_if(sizes, [&](const auto &each) { return each.first == name; });
    bool isWorkers = number + 1 == plan.symbols.size();
    int64_t bound = isWorkers ? 1 : cast<model::DimensionAttr>(dimensions[number]).getMax();
    if (given == sizes.end() && bound <= 0)
      return llvm::createStringError("dimension `" + name + "` of entry point '" +
                                     func::FuncOp(plan.entry).getName().str() +
                                     "' has no bound; give its size, such as --at " + name + "=4");
    // Another entry point may have a larger dimension of that name.
    result.push_back(given == sizes.end()      ? bound
                     : bound > 0 && !isWorkers ? std::min(bound, given->second)
                                               : given->second);
  }
  return result;
}

std::string sizesText(const EntryPlan &plan, llvm::ArrayRef<int64_t> sizes) {
  std::string text;
  for (auto [name, size] : llvm::zip_equal(plan.symbols, sizes))
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, size);
  return text;
}

MemoryPeak peakOf(const EntryPlan &plan, llvm::ArrayRef<int64_t> sizes) {
  std::vector<int64_t> bytes;
  for (const SlotMember &member : plan.members)
    bytes.push_back(member.storage.bytes.evaluate(sizes));
  auto isLive = [&](const SlotMember &member, unsigned step) {
    return llvm::any_of(member.storage.liveRanges,
                        [&](const LiveRange &range) { return range.first <= step && step <= range.last; });
  };
  MemoryPeak peak;
  peak.arenaBytes = plan.arenaBytes.evaluate(sizes);
  unsigned fullest = 0;
  // The peak is at the start of some live range.
  for (const SlotMember &begins : plan.members)
    for (const LiveRange &range : begins.storage.liveRanges) {
      int64_t sum = 0;
      for (auto [member, size] : llvm::zip_equal(plan.members, bytes))
        sum += isLive(member, range.first) ? size : 0;
      if (sum > peak.liveBytes || (sum == peak.liveBytes && range.first < fullest)) {
        peak.liveBytes = sum;
        fullest = range.first;
      }
    }
  for (auto [member, size] : llvm::zip_equal(plan.members, bytes))
    if (size > 0 && isLive(member, fullest))
      peak.residents.push_back({member.storage.name, size});
  llvm::sort(peak.residents,
             [](const auto &a, const auto &b) { return std::pair(-a.bytes, a.name) < std::pair(-b.bytes, b.name); });
  if (fullest < plan.steps.size())
    peak.during = stepName(plan.steps[fullest]);
  return peak;
}

std::string megabytes(int64_t bytes) {
  return bytes < 100'000 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} MB", 1e-6 * double(bytes));
}

void printResidents(const MemoryPeak &peak, size_t most, llvm::raw_ostream &out) {
  int64_t others = 0;
  for (auto [number, resident] : llvm::enumerate(peak.residents)) {
    if (number < most)
      out << fmt::format("  {:>12}  {}\n", megabytes(resident.bytes), resident.name);
    else
      others += resident.bytes;
  }
  if (others)
    out << fmt::format("  {:>12}  in {} others\n", megabytes(others), peak.residents.size() - most);
}

} // namespace attnc
