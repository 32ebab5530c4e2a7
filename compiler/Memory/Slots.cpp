#include "compiler/Memory/Slots.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <list>

namespace attnc {

namespace {

bool meet(llvm::ArrayRef<LiveRange> a, llvm::ArrayRef<LiveRange> b) {
  return llvm::any_of(a, [&](const LiveRange &left) {
    return llvm::any_of(b,
                        [&](const LiveRange &right) { return left.first <= right.last && right.first <= left.last; });
  });
}

struct Part;

/// A use of a slot for some ops: by a storage, or by slots side by side.
struct Turn {
  unsigned storage = 0;
  std::list<Part> parts;
  std::vector<LiveRange> liveRanges;
  int64_t bytes = 0; ///< for typical dimensions, aligned
};

/// A slot under construction.
struct Part {
  std::list<Turn> turns;
  int64_t bytes = 0;
};

class Assignment {
public:
  Assignment(const StorageTable &table, llvm::ArrayRef<int64_t> typical, int64_t alignment)
      : table(table), typical(typical), alignment(alignment) {}

  void add(unsigned storage) {
    Turn turn;
    turn.storage = storage;
    turn.liveRanges = table[storage].liveRanges;
    turn.bytes = llvm::alignTo(table[storage].bytes.evaluate(typical), alignment);
    for (Part &slot : arena)
      if (turn.bytes <= slot.bytes && place(slot, turn))
        return;
    arena.push_back(only(std::move(turn)));
  }

  SlotAssignment take() {
    list(arena, std::nullopt);
    return std::move(made);
  }

private:
  const StorageTable &table;
  llvm::ArrayRef<int64_t> typical;
  int64_t alignment;
  std::list<Part> arena;
  SlotAssignment made;

  static Part only(Turn turn) {
    Part part;
    part.bytes = turn.bytes;
    part.turns.push_back(std::move(turn));
    return part;
  }

  static void joins(Turn &turn, const Turn &other) { llvm::append_range(turn.liveRanges, other.liveRanges); }

  bool place(Part &slot, Turn &turn);
  bool placeBeside(Part &slot, Turn &several, Turn &turn);
  SizeExpr list(const std::list<Part> &parts, std::optional<unsigned> within);
};

} // namespace

/// Places a use in a slot that is large enough: in an unused live range, or beside the uses that it overlaps.
bool Assignment::place(Part &slot, Turn &turn) {
  auto meets = [&](const Turn &other) { return meet(other.liveRanges, turn.liveRanges); };
  auto first = llvm::find_if(slot.turns, meets);
  if (first == slot.turns.end()) {
    slot.turns.push_back(std::move(turn));
    return true;
  }
  if (!first->parts.empty() && std::none_of(std::next(first), slot.turns.end(), meets))
    return placeBeside(slot, *first, turn);
  int64_t beside = 0;
  for (const Turn &other : slot.turns)
    beside = std::max(beside, meets(other) ? other.bytes : 0);
  if (beside + turn.bytes > slot.bytes)
    return false;
  Turn several;
  Part met;
  met.bytes = beside;
  for (auto other = first; other != slot.turns.end();) {
    auto next = std::next(other);
    if (meets(*other)) {
      joins(several, *other);
      met.turns.splice(met.turns.end(), slot.turns, other);
    }
    other = next;
  }
  joins(several, turn);
  several.bytes = beside + turn.bytes;
  several.parts.push_back(std::move(met));
  several.parts.push_back(only(std::move(turn)));
  slot.turns.push_back(std::move(several));
  return true;
}

/// Places it into the smallest part that fits, or after the last one.
bool Assignment::placeBeside(Part &slot, Turn &several, Turn &turn) {
  llvm::SmallVector<std::tuple<int64_t, size_t, Part *>> parts;
  for (Part &part : several.parts)
    if (turn.bytes <= part.bytes)
      parts.emplace_back(part.bytes, parts.size(), &part);
  llvm::sort(parts);
  std::vector<LiveRange> liveRanges = turn.liveRanges;
  bool placed = llvm::any_of(parts, [&](auto &part) { return place(*std::get<2>(part), turn); });
  if (!placed) {
    if (several.bytes + turn.bytes > slot.bytes)
      return false;
    several.bytes += turn.bytes;
    several.parts.push_back(only(std::move(turn)));
  }
  llvm::append_range(several.liveRanges, liveRanges);
  return true;
}

/// Numbers the parts; returns the sum of their sizes.
SizeExpr Assignment::list(const std::list<Part> &parts, std::optional<unsigned> within) {
  SizeExpr sum;
  std::optional<unsigned> behind;
  for (const Part &part : parts) {
    unsigned number = made.slots.size();
    made.slots.push_back({SizeExpr(), within, behind});
    SizeExpr bytes;
    for (const Turn &turn : part.turns) {
      if (turn.parts.empty())
        made.members.emplace_back(turn.storage, number);
      bytes = SizeExpr::max(bytes, turn.parts.empty() ? table[turn.storage].bytes : list(turn.parts, number));
    }
    made.slots[number].bytes = bytes.alignTo(alignment);
    sum += made.slots[number].bytes;
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
  SlotAssignment made = assignment.take();
  llvm::sort(made.members,
             [](const auto &a, const auto &b) { return std::pair(a.second, a.first) < std::pair(b.second, b.first); });
  return made;
}

} // namespace attnc
