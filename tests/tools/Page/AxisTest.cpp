#include "tools/attnc/Page/Axis.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace attnc;
using testing::DoubleNear;
using testing::Pointwise;

TEST(Axis, EndsAtRoundNumbersAroundTheValues) {
  Axis axis = Axis::over("loss", {1.23, 4.8, 2});
  EXPECT_DOUBLE_EQ(axis.least, 1);
  EXPECT_DOUBLE_EQ(axis.most, 5);
  EXPECT_THAT(axis.ticks(), Pointwise(DoubleNear(1e-9), {1.0, 2.0, 3.0, 4.0, 5.0}));
  EXPECT_DOUBLE_EQ(axis.placeOf(3), 0.5);
}

TEST(Axis, LeavesOutWhatIsNoNumber) {
  Axis axis = Axis::over("loss", {NAN, 2, HUGE_VAL, 4, -HUGE_VAL});
  EXPECT_DOUBLE_EQ(axis.least, 2);
  EXPECT_DOUBLE_EQ(axis.most, 4);
}

TEST(Axis, HasRoomAroundASingleValueAndNone) {
  EXPECT_TRUE(Axis::over("x", {7}).has(7));
  EXPECT_LT(Axis::over("x", {7}).least, Axis::over("x", {7}).most);
  EXPECT_LT(Axis::over("x", {0}).least, Axis::over("x", {0}).most);
  EXPECT_FALSE(Axis::over("x", {}).ticks().empty());
  EXPECT_FALSE(Axis::over("x", {}, true).ticks().empty());
}

TEST(Axis, OfPowersOfTen) {
  Axis axis = Axis::over("s", {3e-6, 0.02, 0, -1}, true);
  EXPECT_NEAR(axis.least, 1e-6, 1e-12);
  EXPECT_NEAR(axis.most, 0.1, 1e-9);
  EXPECT_THAT(axis.ticks(), testing::SizeIs(6));
  EXPECT_NEAR(axis.placeOf(1e-1), 1, 1e-9);
  EXPECT_NEAR(axis.placeOf(1e-6), 0, 1e-9);
}

TEST(Axis, WritesTicksShort) {
  EXPECT_EQ(tickText(0.30000000000000004), "0.3");
  EXPECT_EQ(tickText(2000), "2000");
  EXPECT_EQ(tickText(1e-6), "1e-06");
}
