#include "compiler/Pipeline/MemoryBudget.h"
#include "attn/abi.h"
#include "compiler/Derive/Residuals.h"
#include "compiler/Derive/SegmentScans.h"
#include "compiler/Memory/Peak.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <utility>

using namespace mlir;

namespace attnc {

namespace {

/// A residual: the results of one op in all iterations.
struct Choosable {
  std::string name;
  bool isAttention = false;
  int64_t bytes = 0;
  double cost = 0;
  bool kept = true;

  bool isDearerThan(const Choosable &other) const {
    auto rank = [](const Choosable &each) { return std::pair(each.isAttention, each.cost / each.bytes); };
    return rank(*this) > rank(other);
  }
};

/// A scan; `steps` is its number of time steps at the planned sizes.
struct CuttableScan {
  std::string place;
  int64_t steps = 0, segment = 0; ///< time steps of a segment; 0: not cut
  bool isCuttable = false;
};

/// Memory of an entry point under a choice.
struct Need {
  MemoryPeak peak;
  std::string sizes;
  std::map<int64_t, Choosable> residuals; ///< by number
  std::vector<CuttableScan> scans;
};

/// The choice for an entry point. The search first recomputes residuals; if that does not suffice, it cuts scans into
/// ever shorter segments and stores all their residuals; if that does not suffice either, it does both.
struct Choice {
  enum class Stage { Recomputing, Cutting, Both } stage = Stage::Recomputing;
  std::set<int64_t> recomputed;
  int64_t pieces = 1;            ///< segments of each scan
  std::vector<int64_t> segments; ///< time steps of a segment, for each scan; 0: not cut
  int64_t bestPieces = 1, bestBytes = std::numeric_limits<int64_t>::max();
};

class BudgetSearch {
public:
  BudgetSearch(Job &job, llvm::function_ref<bool()> planAll)
      : job(job), planAll(planAll), imported(job.made.module->clone()), start(job.made.program),
        budget(*job.options.memoryBudget) {}

  bool run() {
    job.isTrial = true;
    bool met = meet() && keepAgain();
    job.isTrial = false;
    if (!met)
      return false;
    reset();
    report();
    return true;
  }

private:
  Job &job;
  llvm::function_ref<bool()> planAll;
  OwningOpRef<ModuleOp> imported;
  Program start;
  int64_t budget;
  std::map<std::string, Choice> choices; ///< by entry point
  std::map<std::string, Need> needs;
  std::map<std::string, Need> smallest; ///< the smallest so far, by entry point
  bool isPlanned = false;               ///< `needs` are those of `choices`

  void reset();
  bool plan();
  bool meet();
  bool keepAgain();
  bool isMet(const Need &need) const { return need.peak.arenaBytes <= budget; }
  bool areMet() const {
    return llvm::all_of(needs, [&](const auto &each) { return isMet(each.second); });
  }
  bool needLess(Choice &choice, const Need &need);
  bool recomputeMore(Choice &choice, const Need &need);
  bool cutFiner(Choice &choice, const Need &need);
  bool leaveWhole();
  bool refuse(const std::string &entry, const Need &need);
  void report();
};

} // namespace

/// Restores the imported module, marked with the choice.
void BudgetSearch::reset() {
  job.made.module = imported->clone();
  job.made.code = {};
  job.made.program = start;
  for (const auto &[entry, choice] : choices) {
    auto mark = [&, entry = entry](llvm::StringRef name, const auto &numbers) {
      if (!numbers.empty())
        job.made.module->lookupSymbol<func::FuncOp>(entry)->setAttr(
            name, DenseI64ArrayAttr::get(&job.made.context, std::vector<int64_t>(numbers.begin(), numbers.end())));
    };
    mark(recomputeAttrName, choice.recomputed);
    mark(segmentsAttrName, choice.segments);
  }
}

bool BudgetSearch::plan() {
  isPlanned = true;
  reset();
  if (!planAll())
    return false;
  needs.clear();
  for (const EntryPlan &entry : job.made.program.entries) {
    llvm::Expected<std::vector<int64_t>> sizes = sizesAt(entry, job.options.at);
    if (!sizes)
      return job.refuse("--memory-budget: " + llvm::toString(sizes.takeError()));
    func::FuncOp function = entry.entry;
    Need &need = needs[function.getName().str()];
    need.peak = peakOf(entry, *sizes);
    need.sizes = sizesText(entry, *sizes);
    for (const Scan &scan : scansOf(function))
      need.scans.push_back({scan.sourceLocation, scan.steps.evaluate(*sizes), scan.segment, scan.isCuttable});
    for (const Residual &residual : residualsOf(function)) {
      if (!residual.mayBeRecomputed())
        continue;
      Choosable &choosable = need.residuals[residual.number];
      choosable.name = choosable.name.empty() ? nameOf(residual) : choosable.name;
      choosable.isAttention = residual.kind == "attention";
      choosable.kept = residual.kept;
      choosable.bytes += residual.bytes.evaluate(*sizes);
      choosable.cost += double(residual.cost.evaluate(*sizes));
    }
  }
  return true;
}

/// Recomputes the cheapest residuals per byte that are still stored; returns false if there are none. The arena usually
/// shrinks by at most their aligned bytes, so fewer residuals than those with the excess bytes do not suffice.
bool BudgetSearch::recomputeMore(Choice &choice, const Need &need) {
  std::vector<std::pair<int64_t, const Choosable *>> stored;
  for (const auto &[number, each] : need.residuals)
    if (each.kept && each.bytes > 0)
      stored.emplace_back(number, &each);
  llvm::stable_sort(stored, [](const auto &a, const auto &b) { return b.second->isDearerThan(*a.second); });
  int64_t excess = need.peak.arenaBytes - budget;
  for (auto [number, each] : stored) {
    if (excess <= 0)
      break;
    choice.recomputed.insert(number);
    excess -= int64_t(llvm::alignTo(each->bytes, ATTN_ALIGNMENT));
  }
  return !stored.empty();
}

/// Doubles the number of segments of each scan. This renumbers ops, so all residuals are stored again at first.
bool BudgetSearch::cutFiner(Choice &choice, const Need &need) {
  int64_t pieces = 2 * choice.pieces;
  std::vector<int64_t> segments;
  for (const CuttableScan &scan : need.scans)
    segments.push_back(scan.isCuttable && scan.steps >= 2 * pieces ? llvm::divideCeil(scan.steps, pieces) : 0);
  if (llvm::all_of(segments, [](int64_t length) { return length == 0; }))
    return false;
  choice.pieces = pieces;
  choice.segments = segments;
  choice.recomputed.clear();
  return true;
}

/// Advances to the next choice after one that exceeds the budget; returns false if there is none.
bool BudgetSearch::needLess(Choice &choice, const Need &need) {
  if (choice.stage != Choice::Stage::Cutting && recomputeMore(choice, need))
    return true;
  if (choice.stage == Choice::Stage::Both)
    return false;
  if (choice.stage == Choice::Stage::Recomputing) {
    choice.stage = Choice::Stage::Cutting;
    return cutFiner(choice, need);
  }
  if (need.peak.arenaBytes < choice.bestBytes) {
    choice.bestBytes = need.peak.arenaBytes;
    choice.bestPieces = choice.pieces;
    if (cutFiner(choice, need))
      return true;
  }
  choice.stage = Choice::Stage::Both;
  choice.pieces = choice.bestPieces / 2;
  return cutFiner(choice, need);
}

bool BudgetSearch::meet() {
  for (;;) {
    if (!plan())
      return false;
    bool all = true;
    for (const auto &[entry, need] : needs) {
      if (isMet(need))
        continue;
      all = false;
      auto [least, isFirst] = smallest.try_emplace(entry, need);
      if (!isFirst && need.peak.arenaBytes < least->second.peak.arenaBytes)
        least->second = need;
      if (!needLess(choices[entry], need))
        return refuse(entry, least->second);
    }
    if (all)
      return true;
  }
}

/// Undoes cuts of scans that the budget does not need, for entry points that recompute no residual.
bool BudgetSearch::leaveWhole() {
  for (auto &[entry, choice] : choices)
    for (int64_t &length : choice.segments) {
      if (length == 0 || !choice.recomputed.empty())
        continue;
      int64_t before = std::exchange(length, 0);
      if (!plan())
        return false;
      if (areMet())
        continue;
      length = before;
      isPlanned = false;
    }
  return isPlanned || plan();
}

/// Stores recomputed residuals again if they fit the budget, in descending order of cost per byte.
bool BudgetSearch::keepAgain() {
  if (!leaveWhole())
    return false;
  std::vector<std::tuple<std::string, int64_t, Choosable>> chosen;
  for (const auto &[entry, choice] : choices)
    for (int64_t number : choice.recomputed)
      chosen.emplace_back(entry, number, needs[entry].residuals[number]);
  llvm::sort(chosen, [](const auto &a, const auto &b) {
    return std::get<2>(a).isDearerThan(std::get<2>(b)) ||
           (!std::get<2>(b).isDearerThan(std::get<2>(a)) && std::get<1>(a) < std::get<1>(b));
  });
  for (const auto &[entry, number, choosable] : chosen) {
    choices[entry].recomputed.erase(number);
    if (!plan())
      return false;
    if (areMet())
      continue;
    choices[entry].recomputed.insert(number);
    isPlanned = false;
  }
  return isPlanned || plan();
}

bool BudgetSearch::refuse(const std::string &entry, const Need &need) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << fmt::format("--memory-budget {} can't be met: entry point '{}' needs an arena of {} at {}",
                        megabytes(budget), entry, megabytes(need.peak.arenaBytes), need.sizes);
  stream << (need.residuals.empty() ? "; it stores nothing that could be recomputed"
                                    : "; all that can be recomputed is recomputed already");
  stream << "\n  at its peak, while " << need.peak.during << " runs, " << megabytes(need.peak.liveBytes)
         << " of it are live:\n";
  printResidents(need.peak, 6, stream);
  stream << "  give a larger budget or smaller sizes (--at)";
  return job.refuse(text);
}

void BudgetSearch::report() {
  for (const auto &[entry, need] : needs) {
    std::vector<Choosable> again;
    int64_t kept = 0;
    for (const auto &[number, each] : need.residuals) {
      if (each.kept)
        kept += each.bytes;
      else
        again.push_back(each);
    }
    if (need.residuals.empty())
      continue;
    bool isCut = llvm::any_of(need.scans, [](const CuttableScan &scan) { return scan.segment > 0; });
    llvm::sort(again, [](const Choosable &a, const Choosable &b) { return b.isDearerThan(a); });
    std::string text = fmt::format("attnc: {}: an arena of {} at {}, within --memory-budget {}; {}\n", entry,
                                   megabytes(need.peak.arenaBytes), need.sizes, megabytes(budget),
                                   again.empty() && !isCut ? "nothing needs to be recomputed" : "recomputed:");
    for (const CuttableScan &scan : need.scans)
      if (scan.segment > 0)
        text += fmt::format("  {:>3} segments  of the scan at {}, of {} time steps each{}\n", scan.steps / scan.segment,
                            scan.place, scan.segment,
                            scan.steps % scan.segment ? fmt::format(", and {} more", scan.steps % scan.segment) : "");
    for (const Choosable &each : again)
      text += fmt::format("  {:>12}  {}\n", megabytes(each.bytes), each.name);
    if (kept)
      text += fmt::format("  {:>12}  is stored for the backward pass\n", megabytes(kept));
    job.warn(text);
  }
}

bool chooseRecomputed(Job &job, llvm::function_ref<bool()> planAll) {
  return !job.options.memoryBudget || BudgetSearch(job, planAll).run();
}

bool checkSizes(Job &job) {
  constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();
  std::map<std::string, int64_t> bounds = {{"workers", unbounded}}; // maximum over the entry points
  for (auto entry : job.made.module->getOps<func::FuncOp>())
    if (auto dimensions = entry->getAttrOfType<ArrayAttr>(model::dimensionsAttrName))
      for (auto dimension : dimensions.getAsRange<model::DimensionAttr>())
        bounds[dimension.getName().str()] =
            std::max(bounds[dimension.getName().str()], dimension.getMax() > 0 ? dimension.getMax() : unbounded);
  for (const auto &[name, size] : job.options.at) {
    auto bound = bounds.find(name);
    if (bound == bounds.end())
      return job.refuse("--at: no entry point has a dimension `" + name + "`; there are " +
                        llvm::join(llvm::make_first_range(bounds), ", "));
    if (size > bound->second)
      return job.refuse(fmt::format("--at: dimension `{}` is at most {}, found {}", name, bound->second, size));
  }
  return true;
}

} // namespace attnc
