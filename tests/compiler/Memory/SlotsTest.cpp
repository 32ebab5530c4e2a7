#include "compiler/Memory/Slots.h"
#include <gtest/gtest.h>
#include <rapidcheck.h>

using namespace attnc;

namespace {

constexpr int64_t alignment = 64;

int64_t offsetOf(const SlotAssignment &assignment, unsigned slot, llvm::ArrayRef<int64_t> sizes) {
  if (std::optional<unsigned> behind = assignment.slots[slot].behind)
    return offsetOf(assignment, *behind, sizes) + assignment.slots[*behind].bytes.evaluate(sizes);
  return assignment.slots[slot].within ? offsetOf(assignment, *assignment.slots[slot].within, sizes) : 0;
}

int64_t arenaOf(const SlotAssignment &assignment, llvm::ArrayRef<int64_t> sizes) {
  int64_t sum = 0;
  for (const Slot &slot : assignment.slots)
    sum += slot.within ? 0 : slot.bytes.evaluate(sizes);
  return sum;
}

/// Returns true if two storages have disjoint bytes or disjoint live ranges.
bool areApart(const StorageTable &table, const SlotAssignment &assignment, size_t a, size_t b,
              llvm::ArrayRef<int64_t> sizes) {
  auto [storageA, slotA] = assignment.members[a];
  auto [storageB, slotB] = assignment.members[b];
  int64_t beginA = offsetOf(assignment, slotA, sizes), endA = beginA + table[storageA].bytes.evaluate(sizes);
  int64_t beginB = offsetOf(assignment, slotB, sizes), endB = beginB + table[storageB].bytes.evaluate(sizes);
  if (endA <= beginB || endB <= beginA)
    return true;
  for (const LiveRange &left : table[storageA].liveRanges)
    for (const LiveRange &right : table[storageB].liveRanges)
      if (left.first <= right.last && right.first <= left.last)
        return false;
  return true;
}

SizeExpr n() { return SizeExpr::symbol(0); }

} // namespace

TEST(SlotsProperties, StoragesThatLiveTogetherLieApart) {
  auto outcome = rc::check([] {
    StorageTable table;
    int count = *rc::gen::inRange(1, 30);
    for (int each = 0; each < count; ++each) {
      SizeExpr bytes = n() * *rc::gen::inRange<int64_t>(0, 4) * *rc::gen::inRange<int64_t>(1, 500) +
                       SizeExpr(*rc::gen::inRange<int64_t>(0, 5000));
      unsigned first = *rc::gen::inRange(0, 40), second = *rc::gen::inRange(0, 40);
      unsigned storage = table.add("s", bytes, first, first + *rc::gen::inRange(0, 6));
      if (*rc::gen::inRange(0, 4) == 0)
        table.alsoLive(storage, second, second + 2);
    }
    SlotAssignment assignment = assignSlots(table, table.roots(), {100}, alignment);
    RC_ASSERT(assignment.members.size() == size_t(count));
    std::vector<int64_t> sizes = {*rc::gen::elementOf(std::vector<int64_t>{0, 1, 3, 100, 5000})};
    int64_t arena = arenaOf(assignment, sizes);
    for (size_t a = 0; a < assignment.members.size(); ++a) {
      auto [storage, slot] = assignment.members[a];
      int64_t begin = offsetOf(assignment, slot, sizes);
      RC_ASSERT(begin % alignment == 0);
      RC_ASSERT(begin + table[storage].bytes.evaluate(sizes) <= arena);
      for (size_t b = 0; b < a; ++b)
        RC_ASSERT(areApart(table, assignment, a, b, sizes));
    }
  });
  EXPECT_TRUE(outcome);
}

TEST(Slots, SmallOnesLieSideBySideWhereALargeOneWas) {
  StorageTable table;
  table.add("logits", n() * 1000, 0, 3);
  table.add("kept", n() * 500, 0, 9);
  for (unsigned each = 0; each < 3; ++each) // all live at once
    table.add("gradient", n() * 300, 4 + each, 9);
  SlotAssignment assignment = assignSlots(table, table.roots(), {64}, alignment);
  EXPECT_EQ(arenaOf(assignment, {64}), 64 * 1500);
  // Other sizes need as much: each gradient has as many bytes as elements.
  EXPECT_EQ(arenaOf(assignment, {128}), 128 * 1500);
}

TEST(Slots, PartsAreUsedAgain) {
  StorageTable table;
  table.add("large", SizeExpr(6400), 0, 1);
  table.add("left", SizeExpr(3200), 2, 5);
  table.add("right", SizeExpr(3200), 2, 3);
  table.add("after right", SizeExpr(3136), 4, 5);
  table.add("half of what is right by then", SizeExpr(64), 4, 5);
  SlotAssignment assignment = assignSlots(table, table.roots(), {}, alignment);
  EXPECT_EQ(arenaOf(assignment, {}), 6400);
}

TEST(Slots, AnySizesFit) {
  StorageTable table;
  table.add("logits", n() * 1000, 0, 1);
  table.add("a", SizeExpr(640), 2, 3);
  table.add("b", SizeExpr(1280), 2, 3);
  SlotAssignment assignment = assignSlots(table, table.roots(), {100}, alignment);
  EXPECT_EQ(arenaOf(assignment, {100}), 100032);
  EXPECT_EQ(arenaOf(assignment, {0}), 1920); // the logits are empty, but a and b in their slot still have room
}
