#include "compiler/Schedule/TuningDatabase.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

namespace attnc {
namespace {

TuningEntry entry(std::string kernel, int64_t seq, double gain, double seconds = 1e-5, std::string mr = "4") {
  return {std::move(kernel), "gemm", "znver4", {{"seq", seq}}, 1, {{"mr", std::move(mr)}}, gain, seconds};
}

TEST(TuningDatabase, ReadsWhatItWrites) {
  TuningDatabase database;
  database.add(entry("b", 128, 1.25));
  database.add(entry("a", 64, 1.5));
  TuningDatabase again = llvm::cantFail(TuningDatabase::parse("a.tuning", database.text()));
  EXPECT_EQ(again.entries(), database.entries());
  EXPECT_EQ(again.text(), database.text());
  EXPECT_EQ(llvm::StringRef(database.text()).count('\n'), 4u); // one line per entry
}

TEST(TuningDatabase, MergesToTheSameInAnyOrder) {
  std::vector<TuningEntry> entries = {entry("a", 128, 1.2),       entry("a", 128, 1.3),
                                      entry("a", 128, 1.3, 9e-6), entry("a", 128, 1.3, 9e-6, "2"),
                                      entry("a", 64, 1.1),        entry("b", 128, 1.05)};
  std::vector<size_t> order = {0, 1, 2, 3, 4, 5};
  std::string expected;
  do {
    TuningDatabase database;
    for (size_t number : order)
      database.add(entries[number]);
    expected = expected.empty() ? database.text() : expected;
    ASSERT_EQ(database.text(), expected);
  } while (std::next_permutation(order.begin(), order.end()));
  TuningDatabase merged = llvm::cantFail(TuningDatabase::parse("", expected));
  ASSERT_EQ(merged.entries().size(), 3u);
  EXPECT_EQ(merged.find("a", "znver4", {{"seq", 100}})->overrides.at("mr"), "2"); // the first of equal texts
}

TEST(TuningDatabase, TakesTheNearestSizes) {
  TuningDatabase database;
  database.add(entry("a", 16, 1.5, 1e-6));
  database.add(entry("a", 1024, 1.1, 1e-4));
  EXPECT_EQ(database.find("a", "znver4", {{"seq", 20}})->sizes.at("seq"), 16);
  EXPECT_EQ(database.find("a", "znver4", {{"seq", 600}})->sizes.at("seq"), 1024);
  EXPECT_EQ(database.find("a", "znver4", {})->sizes.at("seq"), 1024); // the slowest entry
  EXPECT_EQ(database.find("a", "znver5", {}), nullptr);
  EXPECT_EQ(database.find("b", "znver4", {}), nullptr);
}

TEST(TuningDatabase, SizesAreClassesOfPowersOfTwo) {
  EXPECT_EQ(sizeClass({{"batch", 1}, {"seq", 100}, {"head", 64}}),
            (std::map<std::string, int64_t>{{"batch", 1}, {"seq", 128}, {"head", 64}}));
}

std::string errorOf(llvm::StringRef text) {
  auto database = TuningDatabase::parse("a.tuning", text);
  return database ? "" : llvm::toString(database.takeError());
}

TEST(TuningDatabase, SaysWhatIsWrongWithAFile) {
  EXPECT_EQ(errorOf("{}"), "a.tuning: it is not a tuning database: expected `format` and `entries`");
  EXPECT_EQ(errorOf(R"({"format": 2, "entries": []})"),
            "a.tuning: its format is 2, expected 1: it was written by another version of attnc");
  EXPECT_EQ(
      errorOf(R"({"format": 1, "entries": [{"kernel": "a"}]})"),
      "a.tuning: entry 0 is malformed: expected kernel, kind, target, sizes, workers, overrides, gain and seconds");
  EXPECT_NE(errorOf("tuned").find("a.tuning: it is not a tuning database: "), std::string::npos);
  EXPECT_EQ(errorOf(std::string(1'000'000, '[')),
            "a.tuning: it is not a tuning database: line 1 is nested deeper than 64 levels");
}

/// Impossible times, gains and sizes once made entries that could not be written or were never the nearest.
TEST(TuningDatabase, HasPossibleNumbersAlone) {
  auto with = [](std::string from, std::string to) {
    std::string text = R"({"format": 1, "entries": [{"kernel": "a", "kind": "gemm", "target": "znver4", "sizes": )"
                       R"({"seq": 128}, "workers": 1, "overrides": {"mr": "4"}, "gain": 1.5, "seconds": 0.25}]})";
    return errorOf(text.replace(text.find(from), from.size(), to));
  };
  std::string wrong =
      "a.tuning: entry 0 is malformed: expected kernel, kind, target, sizes, workers, overrides, gain and seconds";
  EXPECT_EQ(with("1.5", "2"), "");
  for (auto [from, to] : {std::pair("1.5", "1e999"),
                          {"1.5", "-1"},
                          {"0.25", "1e999"},
                          {"128", "0"},
                          {"128", "-3"},
                          {"\"workers\": 1", "\"workers\": 0"}})
    EXPECT_EQ(with(from, to), wrong) << to;
  EXPECT_EQ(sizeClass({{"seq", std::numeric_limits<int64_t>::max()}}).at("seq"), int64_t(1) << 62);
}

} // namespace
} // namespace attnc
