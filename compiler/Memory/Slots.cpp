#include "compiler/Memory/Slots.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <list>

namespace attnc {

namespace {

bool overlap(llvm::ArrayRef<LiveRange> a, llvm::ArrayRef<LiveRange> b) {
  return llvm::any_of(a, [&](const LiveRange &left) {
    return llvm::any_of(b,
                        [&](const LiveRange &right) { return left.first <= right.last && right.first <= left.last; });
  });
}

struct Part;

/// A use of a slot for some ops: by a storage, or by slots side by side.
struct SlotUse {
  unsigned storage = 0;
  std::list<Part> parts;
  std::vector<LiveRange> liveRanges;
  int64_t bytes = 0; ///< for typical dimensions, aligned
};

/// A slot under construction.
struct Part {
  std::list<SlotUse> uses;
  int64_t bytes = 0;
};

class Assignment {
public:
  Assignment(const StorageTable &table, llvm::ArrayRef<int64_t> typical, int64_t alignment)
      : table(table), typical(typical), alignment(alignment) {}

  void add(unsigned storage) {
    SlotUse use;
    use.storage = storage;
    use.liveRanges = table[storage].liveRanges;
    use.bytes = llvm::alignTo(table[storage].bytes.evaluate(typical), alignment);
    for (Part &slot : arena)
      if (use.bytes <= slot.bytes && assign(slot, use))
        return;
    arena.push_back(singleUse(std::move(use)));
  }

  SlotAssignment take() {
    list(arena, std::nullopt);
    return std::move(result);
  }

private:
  const StorageTable &table;
  llvm::ArrayRef<int64_t> typical;
  int64_t alignment;
  std::list<Part> arena;
  SlotAssignment result;

  static Part singleUse(SlotUse use) {
    Part part;
    part.bytes = use.bytes;
    part.uses.push_back(std::move(use));
    return part;
  }

  static void mergeLiveRanges(SlotUse &use, const SlotUse &other) {
    llvm::append_range(use.liveRanges, other.liveRanges);
  }

  bool assign(Part &slot, SlotUse &use);
  bool assignBeside(Part &slot, SlotUse &several, SlotUse &use);
  SizeExpr list(const std::list<Part> &parts, std::optional<unsigned> within);
};

} // namespace

/// Places a use in a slot that is large enough: in an unused live range, or beside the uses that it overlaps.
bool Assignment::assign(Part &slot, SlotUse &use) {
  auto overlapsUse = [&](const SlotUse &other) { return overlap(other.liveRanges, use.liveRanges); };
  auto first = llvm::find_if(slot.uses, overlapsUse);
  if (first == slot.uses.end()) {
    slot.uses.push_back(std::move(use));
    return true;
  }
  if (!first->parts.empty() && std::none_of(std::next(first), slot.uses.end(), overlapsUse))
    return assignBeside(slot, *first, use);
  int64_t beside = 0;
  for (const SlotUse &other : slot.uses)
    beside = std::max(beside, overlapsUse(other) ? other.bytes : 0);
  if (beside + use.bytes > slot.bytes)
    return false;
  SlotUse several;
  Part met;
  met.bytes = beside;
  for (auto other = first; other != slot.uses.end();) {
    auto next = std::next(other);
    if (overlapsUse(*other)) {
      mergeLiveRanges(several, *other);
      met.uses.splice(met.uses.end(), slot.uses, other);
    }
    other = next;
  }
  mergeLiveRanges(several, use);
  several.bytes = beside + use.bytes;
  several.parts.push_back(std::move(met));
  several.parts.push_back(singleUse(std::move(use)));
  slot.uses.push_back(std::move(several));
  return true;
}

/// Places it into the smallest part that fits, or after the last one.
bool Assignment::assignBeside(Part &slot, SlotUse &several, SlotUse &use) {
  llvm::SmallVector<std::tuple<int64_t, size_t, Part *>> parts;
  for (Part &part : several.parts)
    if (use.bytes <= part.bytes)
      parts.emplace_back(part.bytes, parts.size(), &part);
  llvm::sort(parts);
  std::vector<LiveRange> liveRanges = use.liveRanges;
  bool isAssigned = llvm::any_of(parts, [&](auto &part) { return assign(*std::get<2>(part), use); });
  if (!isAssigned) {
    if (several.bytes + use.bytes > slot.bytes)
      return false;
    several.bytes += use.bytes;
    several.parts.push_back(singleUse(std::move(use)));
  }
  llvm::append_range(several.liveRanges, liveRanges);
  return true;
}

/// Numbers the parts; returns the sum of their sizes.
SizeExpr Assignment::list(const std::list<Part> &parts, std::optional<unsigned> within) {
  SizeExpr sum;
  std::optional<unsigned> behind;
  for (const Part &part : parts) {
    unsigned number = result.slots.size();
    result.slots.push_back({SizeExpr(), within, behind});
    SizeExpr bytes;
    for (const SlotUse &use : part.uses) {
      if (use.parts.empty())
        result.members.emplace_back(use.storage, number);
      bytes = SizeExpr::max(bytes, use.parts.empty() ? table[use.storage].bytes : list(use.parts, number));
    }
    result.slots[number].bytes = bytes.alignTo(alignment);
    sum += result.slots[number].bytes;
    behind = number;
  }
  return sum;
}

SlotAssignment assignSlots(const StorageTable &table, llvm::ArrayRef<unsigned> storages,
                           llvm::ArrayRef<int64_t> typical, int64_t alignment) {
  std::vector<std::pair<int64_t, unsigned>> order;
  for (unsigned storage : storages)
    order.emplace_back(-table[storage].bytes.evaluate(typical), storage);
  llvm::sort(order);
  Assignment assignment(table, typical, alignment);
  for (auto [bytes, storage] : order)
    assignment.add(storage);
  SlotAssignment result = assignment.take();
  llvm::sort(result.members,
             [](const auto &a, const auto &b) { return std::pair(a.second, a.first) < std::pair(b.second, b.first); });
  return result;
}

} // namespace attnc
