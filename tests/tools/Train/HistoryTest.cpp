// Tests that a resumed run draws the same report: added points equal points that are read.

#include "tools/attnc/Train/History.h"
#include "tests/support/TemporaryFolder.h"
#include "tools/attnc/Train/AttentionHistory.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace attnc;

namespace {

const std::string headings = HistoryPoint::headings({"loss"}, {"validation"});

TEST(History, PointsAreTheSameWhenTheyAreRead) {
  TemporaryFolder folder("history");
  std::string path = folder.path() / "history.csv";
  auto written = History::open(path, headings, 0);
  ASSERT_TRUE(bool(written));
  for (int64_t step = 1; step <= 40; ++step)
    written->add({step, {1.0 / double(7 * step)}, {step % 2 ? 1e-7 / double(step) : NAN}});
  ASSERT_FALSE(bool(written->replace()));
  auto read = History::open(path, headings, 40);
  ASSERT_TRUE(bool(read));
  ASSERT_EQ(read->points().size(), 40u);
  for (auto [was, is] : llvm::zip(written->points(), read->points())) {
    EXPECT_EQ(was.step, is.step);
    EXPECT_EQ(was.training, is.training);
    if (was.step % 2)
      EXPECT_EQ(was.validation, is.validation);
    else
      EXPECT_TRUE(is.validation.size() == 1 && std::isnan(is.validation[0]));
  }
}

TEST(History, ALossThatIsNoNumberIsAPointToo) {
  TemporaryFolder folder("history");
  std::string path = folder.path() / "history.csv";
  auto written = History::open(path, headings, 0);
  ASSERT_TRUE(bool(written));
  written->add({1, {NAN}, {INFINITY}});
  written->add({2, {-INFINITY}, {NAN}});
  ASSERT_FALSE(bool(written->replace()));
  auto read = History::open(path, headings, 2);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  ASSERT_EQ(read->points().size(), 2u);
  EXPECT_TRUE(std::isnan(read->points()[0].training[0]));
  EXPECT_EQ(read->points()[0].validation[0], INFINITY);
  EXPECT_EQ(read->points()[1].training[0], -INFINITY);
}

TEST(History, HasAColumnForEachMetric) {
  TemporaryFolder folder("history");
  std::string path = folder.path() / "history.csv",
              names = HistoryPoint::headings({"loss", "reward"}, {"validation", "validation_reward"});
  EXPECT_EQ(names, "step,loss,reward,validation,validation_reward");
  auto written = History::open(path, names, 0);
  ASSERT_TRUE(bool(written));
  written->add({1, {0.5, -NAN}, {NAN, 4}});
  EXPECT_EQ(written->points()[0].line(), "1,0.5,nan,,4");
  ASSERT_FALSE(bool(written->replace()));
  auto read = History::open(path, names, 1);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  const HistoryPoint &point = read->points()[0];
  ASSERT_TRUE(point.training.size() == 2 && point.validation.size() == 2);
  EXPECT_TRUE(point.training[0] == 0.5 && std::isnan(point.training[1]));
  EXPECT_TRUE(std::isnan(point.validation[0]) && point.validation[1] == 4);
}

TEST(History, HasAColumnForEachEntryPoint) {
  TemporaryFolder folder("history");
  std::string path = folder.path() / "history.csv",
              both = HistoryPoint::headings({"critic", "generator"}, {"validation"});
  EXPECT_EQ(both, "step,critic,generator,validation");
  auto written = History::open(path, both, 0);
  ASSERT_TRUE(bool(written));
  written->add({1, {0.5, 2}, {NAN}});
  ASSERT_FALSE(bool(written->replace()));
  auto read = History::open(path, both, 1);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->points()[0].training, (std::vector<double>{0.5, 2}));
  auto other = History::open(path, headings, 1);
  ASSERT_FALSE(bool(other));
  EXPECT_EQ(llvm::toString(other.takeError()), path + ":1: 'step,critic,generator,validation' is not a line of "
                                                      "step,loss,validation; correct or remove it");
}

TEST(AttentionHistory, PointsAreTheSameWhenTheyAreRead) {
  TemporaryFolder folder("attention-history");
  std::string path = folder.path() / "attention.csv";
  AttentionMaps maps;
  maps.heads = {{"weights[0, 1]", 2, 3, {0.3f, 0.3f, 0.4f, 0.1f, 0.2f, 0.7f}}, {"other", 1, 3, {0.96f, 0.03f, 0.01f}}};
  auto written = AttentionHistory::open(path, AttentionPoint::headings, 0);
  ASSERT_TRUE(bool(written));
  addMaps(*written, 0, maps);
  addMaps(*written, 2, maps);
  ASSERT_FALSE(bool(written->replace()));
  auto read = AttentionHistory::open(path, AttentionPoint::headings, 2);
  ASSERT_TRUE(bool(read));
  ASSERT_EQ(read->points().size(), 4u);
  for (auto [was, is] : llvm::zip(written->points(), read->points())) {
    EXPECT_EQ(was.step, is.step);
    EXPECT_EQ(was.head, is.head);
    EXPECT_EQ(was.entropy, is.entropy);
    EXPECT_EQ(was.largest, is.largest);
    EXPECT_EQ(was.saturated, is.saturated);
  }
}

} // namespace
