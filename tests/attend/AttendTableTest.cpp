// Compares compiled attention (the table of cases and some random formulas) with the oracle, and the oracle's gradients
// with finite differences.
#include "tests/attend/AttendCase.h"
#include "llvm/ADT/StringRef.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

namespace attnc::attend {
namespace {

constexpr size_t casesOfModel = 36;
constexpr uint64_t randomCases = 200;

std::vector<AttendCase> allCases() {
  std::vector<AttendCase> cases = tableOfCases();
  for (uint64_t number = 0; number < randomCases; ++number) {
    cases.push_back(randomCase(number));
    cases.back().hasSlopes = number % 3 == 0;
    cases.back().hasValues = !cases.back().hasSlopes;
  }
  return cases;
}

class AttendTable : public testing::TestWithParam<size_t> {
protected:
  void SetUp() override {
    std::vector<AttendCase> all = allCases();
    size_t end = std::min(all.size(), GetParam() + casesOfModel);
    cases.assign(all.begin() + GetParam(), all.begin() + end);
  }
  std::vector<AttendCase> cases;
};

TEST_P(AttendTable, AgreesWithTheOracle) {
  CompiledCases compiled(cases);
  ASSERT_EQ(compiled.message(), "") << programOf(cases);
  for (auto [number, each] : llvm::enumerate(cases)) {
    EXPECT_EQ(compiled.difference(each, {2, 5, 7}), "") << programOf({each});
    if (number % 4 == 0)
      EXPECT_EQ(compiled.difference(each, {2, 19, 33}), "") << programOf({each});
    if (number % 18 == 0) // several tiles of queries and of keys
      EXPECT_EQ(compiled.difference(each, {1, 70, 150}), "") << programOf({each});
    if (each.isSmooth && each.hasSlopes)
      EXPECT_EQ(compiled.differenceFromSlopes(each, {2, 5, 7}), "") << programOf({each});
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, AttendTable, testing::Range(size_t(0), allCases().size(), casesOfModel));

/// tanh of large numbers saturates, so that rounding decides which score is the largest.
TEST(AttendTable, NearTiesMayBeChosenEitherWay) {
  AttendCase saturated{"saturated", "tanh((sum f => sq(q[h, i, f] - k[h, j, f])))", "j < 6", "hard"};
  CompiledCases compiled({saturated});
  EXPECT_EQ(compiled.difference(saturated, {2, 5, 7}), "");
}

/// The normaliser, score, mask and weight that form the name of a combination.
TEST(AttendTable, EitherEntryHasEveryPair) {
  using Pair = std::tuple<size_t, std::string, size_t, std::string>;
  std::set<Pair> all, values, slopes;
  for (const AttendCase &each : tableOfCases()) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(each.name).split(parts, '_');
    if (parts.front() == "outputs" || parts.front() == "shared")
      continue;
    for (size_t second = 0; second < parts.size(); ++second)
      for (size_t first = 0; first < second; ++first)
        for (auto [pairs, has] : {std::pair(&all, true), {&values, each.hasValues}, {&slopes, each.hasSlopes}})
          if (has)
            pairs->insert({first, parts[first].str(), second, parts[second].str()});
  }
  EXPECT_EQ(all.size(), 9u * 12 + 9 * 9 + 9 * 3 + 12 * 9 + 12 * 3 + 9 * 3);
  EXPECT_EQ(values, all);
  EXPECT_EQ(slopes, all);
}

TEST(AttendTable, HasFiveHundredCases) { EXPECT_GE(tableOfCases().size(), 500u); }

} // namespace
} // namespace attnc::attend
