#include "compiler/Memory/Storage.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace attnc {

namespace {

bool meet(const LiveRange &a, const LiveRange &b) { return a.first <= b.last && b.first <= a.last; }

bool shareNoStep(const Storage &a, const Storage &b) {
  return llvm::none_of(a.liveRanges, [&](const LiveRange &left) {
    return llvm::any_of(b.liveRanges, [&](const LiveRange &right) { return meet(left, right); });
  });
}

} // namespace

unsigned StorageTable::add(std::string name, SizeExpr bytes, unsigned first, unsigned last) {
  unsigned number = storages.size();
  storages.push_back({std::move(name), std::move(bytes), {{first, last, number}}});
  mergedInto.push_back(number);
  return number;
}

void StorageTable::alsoLive(unsigned storage, unsigned first, unsigned last) {
  storages[find(storage)].liveRanges.push_back({first, last, storage});
}

unsigned StorageTable::find(unsigned storage) const {
  while (mergedInto[storage] != storage)
    storage = mergedInto[storage];
  return storage;
}

void StorageTable::declareHandover(unsigned from, unsigned to, unsigned step) { handovers.push_back({from, to, step}); }

/// Do the ranges meet in nothing but a declared handover? It counts between the storages as they were added: of two
/// values that one operand starts, only one gets its bytes.
bool StorageTable::mayMeet(const LiveRange &a, const LiveRange &b) const {
  return !meet(a, b) || llvm::any_of(handovers, [&](const Handover &each) {
    return (a.owner == each.from && b.owner == each.to && a.last == each.step && b.first == each.step) ||
           (b.owner == each.from && a.owner == each.to && b.last == each.step && a.first == each.step);
  });
}

bool StorageTable::merge(unsigned from, unsigned to) {
  from = find(from);
  to = find(to);
  if (from == to)
    return true;
  if (!(storages[from].bytes == storages[to].bytes))
    return false;
  for (const LiveRange &left : storages[from].liveRanges)
    for (const LiveRange &right : storages[to].liveRanges)
      if (!mayMeet(left, right))
        return false;
  llvm::append_range(storages[to].liveRanges, storages[from].liveRanges);
  storages[to].name += ", " + storages[from].name;
  mergedInto[from] = to;
  return true;
}

void StorageTable::mergeHandovers() {
  for (const Handover &each : handovers)
    merge(each.from, each.to);
}

std::vector<std::pair<unsigned, unsigned>>
StorageTable::assignSlots(llvm::function_ref<bool(unsigned)> isElsewhere, llvm::ArrayRef<int64_t> typical,
                          std::vector<SizeExpr> &slotBytes) const {
  std::vector<std::pair<int64_t, unsigned>> order;
  for (unsigned storage = 0; storage < storages.size(); ++storage)
    if (mergedInto[storage] == storage && !isElsewhere(storage))
      order.emplace_back(storages[storage].bytes.evaluate(typical), storage);
  llvm::sort(order, [](const auto &a, const auto &b) {
    return std::pair(-a.first, a.second) < std::pair(-b.first, b.second);
  });

  std::vector<std::vector<unsigned>> slots;
  for (auto [bytes, storage] : order) {
    auto free = [&, storage = storage](const std::vector<unsigned> &members) {
      return llvm::all_of(members, [&](unsigned other) { return shareNoStep(storages[storage], storages[other]); });
    };
    size_t slot = llvm::find_if(slots, free) - slots.begin();
    if (slot == slots.size()) {
      slots.emplace_back();
      slotBytes.emplace_back();
    }
    slots[slot].push_back(storage);
    slotBytes[slot] = SizeExpr::max(slotBytes[slot], storages[storage].bytes);
  }
  std::vector<std::pair<unsigned, unsigned>> result;
  for (const auto &[slot, members] : llvm::enumerate(slots))
    for (unsigned storage : members)
      result.emplace_back(storage, slot);
  return result;
}

} // namespace attnc
