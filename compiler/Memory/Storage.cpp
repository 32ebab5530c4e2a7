#include "compiler/Memory/Storage.h"
#include "llvm/ADT/STLExtras.h"

namespace attnc {

static bool overlap(const LiveRange &a, const LiveRange &b) { return a.first <= b.last && b.first <= a.last; }

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

/// Whether the ranges overlap in a declared handover only. Handovers are between the original storages: of two values
/// that one operand starts, only one takes over its bytes.
bool StorageTable::mayMeet(const LiveRange &a, const LiveRange &b) const {
  return !overlap(a, b) || llvm::any_of(handovers, [&](const Handover &each) {
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
  if (storages[from].name != "empty" && storages[from].name != storages[to].name)
    storages[to].name += "; " + storages[from].name;
  mergedInto[from] = to;
  return true;
}

void StorageTable::mergeHandovers() {
  for (const Handover &each : handovers)
    merge(each.from, each.to);
}

std::vector<unsigned> StorageTable::roots() const {
  std::vector<unsigned> result;
  for (unsigned storage = 0; storage < storages.size(); ++storage)
    if (mergedInto[storage] == storage)
      result.push_back(storage);
  return result;
}

} // namespace attnc
