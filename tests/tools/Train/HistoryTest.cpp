// Tests that a resumed run draws the same report: added points equal points that are read.

#include "tools/attnc/Train/History.h"
#include "tests/support/TemporaryFolder.h"
#include "tools/attnc/Train/AttentionHistory.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace attnc;

namespace {

const std::string headings = HistoryPoint::headings({"loss"});

TEST(History, PointsAreTheSameWhenTheyAreRead) {
  TemporaryFolder folder("history");
  std::string path = folder.path() / "history.csv";
  auto written = History::open(path, headings, 0);
  ASSERT_TRUE(bool(written));
  for (int64_t step = 1; step <= 40; ++step)
    written->add({step, {1.0 / double(7 * step)}, step % 2 ? std::optional(1e-7 / double(step)) : std::nullopt});
  ASSERT_FALSE(bool(written->replace()));
  auto read = History::open(path, headings, 40);
  ASSERT_TRUE(bool(read));
  ASSERT_EQ(read->points().size(), 40u);
  for (auto [was, is] : llvm::zip(written->points(), read->points())) {
    EXPECT_EQ(was.step, is.step);
    EXPECT_EQ(was.losses, is.losses);
    EXPECT_EQ(was.validation, is.validation);
  }
}

TEST(History, ALossThatIsNoNumberIsAPointToo) {
  TemporaryFolder folder("history");
  std::string path = folder.path() / "history.csv";
  auto written = History::open(path, headings, 0);
  ASSERT_TRUE(bool(written));
  written->add({1, {NAN}, INFINITY});
  written->add({2, {-INFINITY}, std::nullopt});
  ASSERT_FALSE(bool(written->replace()));
  auto read = History::open(path, headings, 2);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  ASSERT_EQ(read->points().size(), 2u);
  EXPECT_TRUE(std::isnan(read->points()[0].losses[0]));
  EXPECT_EQ(read->points()[0].validation, INFINITY);
  EXPECT_EQ(read->points()[1].losses[0], -INFINITY);
}

TEST(History, HasAColumnForEachEntryPoint) {
  TemporaryFolder folder("history");
  std::string path = folder.path() / "history.csv", both = HistoryPoint::headings({"critic", "generator"});
  EXPECT_EQ(both, "step,critic,generator,validation");
  auto written = History::open(path, both, 0);
  ASSERT_TRUE(bool(written));
  written->add({1, {0.5, 2}, std::nullopt});
  ASSERT_FALSE(bool(written->replace()));
  auto read = History::open(path, both, 1);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->points()[0].losses, (std::vector<double>{0.5, 2}));
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
