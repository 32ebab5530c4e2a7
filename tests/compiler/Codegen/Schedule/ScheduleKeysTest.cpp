#include "compiler/Codegen/Schedule/ScheduleKeys.h"
#include <gtest/gtest.h>
#include <set>

namespace attnc {
namespace {

TEST(ScheduleKeys, ARangeCountsUnits) {
  constexpr const ScheduleKey &queries = scheduleKey(KernelKind::Attend, "tile_q"); // 1 to 4 vectors
  EXPECT_TRUE(queries.accepts(16, 16) && queries.accepts(64, 16) && queries.accepts(8, 8));
  EXPECT_FALSE(queries.accepts(0, 16) || queries.accepts(80, 16) || queries.accepts(24, 16));
  constexpr const ScheduleKey &depth = scheduleKey(KernelKind::Gemm, "kc"); // 4, 8, ..., 4096
  EXPECT_TRUE(depth.accepts(4096, 16));
  EXPECT_FALSE(depth.accepts(4100, 16) || depth.accepts(6, 16));
}

TEST(ScheduleKeys, AValueIsRoundedUpWithinTheRange) {
  constexpr const ScheduleKey &queries = scheduleKey(KernelKind::Attend, "tile_q");
  EXPECT_EQ(queries.roundedUp(17, 16), 32);
  EXPECT_EQ(queries.roundedUp(1000, 16), 64);
  EXPECT_EQ(queries.roundedUp(0, 16), 16);
  EXPECT_EQ(queries.roundedUp(-5, 16), 16);
}

TEST(ScheduleKeys, AKeyOccursOnceInAKind) {
  std::set<std::pair<KernelKind, std::string_view>> seen;
  for (const ScheduleKey &key : scheduleKeyTable) {
    EXPECT_TRUE(seen.insert({key.kind, key.name}).second) << key.name;
    EXPECT_TRUE(key.isText || !key.words.empty() || key.least <= key.most) << key.name;
  }
}

} // namespace
} // namespace attnc
