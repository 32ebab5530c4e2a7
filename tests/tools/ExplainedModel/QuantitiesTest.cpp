// Tests the texts of quantities.
#include "tools/attnc/ExplainedModel/Quantities.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

TEST(Quantities, AreRoundedBeforeTheirUnitIsChosen) {
  EXPECT_EQ(scaled(999.4), "999");
  EXPECT_EQ(scaled(999.7), "1k");
  EXPECT_EQ(scaled(12345), "12.3k");
  EXPECT_EQ(scaled(999499), "999k");
  EXPECT_EQ(scaled(999999), "1M");
  EXPECT_EQ(scaled(1e12), "1T");
  EXPECT_EQ(scaled(0), "0");
}

} // namespace
} // namespace attnc
