#include "tools/attnc/Train/NameLists.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace attnc;
using testing::ElementsAre;

namespace {

std::vector<std::string> joined(const std::vector<std::string> &names) {
  std::vector<NamedTensor> tensors;
  for (const std::string &name : names)
    tensors.push_back({name, "F32[4]"});
  std::vector<std::string> lines;
  for (const NamedTensor &line : joinLists(tensors))
    lines.push_back(line.name);
  return lines;
}

TEST(NameLists, JoinNumbersToRangesAndLists) {
  EXPECT_THAT(joined({"a.0.w", "a.2.w", "a.1.w", "head"}), ElementsAre("a.{0..2}.w", "head"));
  EXPECT_THAT(joined({"a.0.w", "a.2.w", "a.4.w", "a.5.w", "a.6.w"}), ElementsAre("a.{0,2,4..6}.w"));
  EXPECT_THAT(joined({"a.3.w", "a.4.w"}), ElementsAre("a.{3,4}.w"));
  EXPECT_THAT(joined({"a.10.w", "a.9.w", "a.11.w"}), ElementsAre("a.{9..11}.w"));
  EXPECT_THAT(joined({"7"}), ElementsAre("7"));
}

TEST(NameLists, JoinListsOfLists) {
  EXPECT_THAT(joined({"a.0.b.0", "a.0.b.1", "a.1.b.0", "a.1.b.1"}), ElementsAre("a.{0,1}.b.{0,1}"));
  EXPECT_THAT(joined({"a.0.b.0", "a.0.b.1", "a.1.b.0"}), ElementsAre("a.0.b.{0,1}", "a.1.b.0"));
}

TEST(NameLists, SeparateOtherNamesAndNotes) {
  EXPECT_THAT(joined({"a.0.w", "b.0.w", "a.1.v", "a.01.w", "a..w", "a.1234567890.w"}),
              ElementsAre("a.0.w", "b.0.w", "a.1.v", "a.01.w", "a..w", "a.1234567890.w"));
  std::vector<NamedTensor> lines = joinLists({{"a.0", "F32[4]"}, {"a.1", "F32[8]"}, {"a.2", "F32[4]"}});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].name + " " + lines[0].note, "a.{0,2} F32[4]");
  EXPECT_EQ(lines[1].name + " " + lines[1].note, "a.1 F32[8]");
}

} // namespace
