// The family of attention: the table of cases, and some random formulas, compiled, against the oracle; the oracle's
// gradients against finite differences.
#include "tests/attend/AttendCase.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc::attend {
namespace {

constexpr size_t casesOfModel = 36;
constexpr uint64_t randomCases = 200;

std::vector<AttendCase> allCases() {
  std::vector<AttendCase> cases = tableOfCases();
  for (uint64_t number = 0; number < randomCases; ++number)
    cases.push_back(randomCase(number));
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
    if (number % 36 == 0) // several tiles of queries and of keys
      EXPECT_EQ(compiled.difference(each, {1, 70, 150}), "") << programOf({each});
    if (each.isSmooth)
      EXPECT_EQ(compiled.differenceFromSlopes(each, {2, 5, 7}), "") << programOf({each});
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, AttendTable, testing::Range(size_t(0), allCases().size(), casesOfModel));

/// tanh of large numbers: which score is the largest is for rounding to say.
TEST(AttendTable, NearTiesMayBeChosenEitherWay) {
  AttendCase saturated{"saturated", "tanh((sum f => sq(q[h, i, f] - k[h, j, f])))", "j < 6", "hard"};
  CompiledCases compiled({saturated});
  EXPECT_EQ(compiled.difference(saturated, {2, 5, 7}), "");
}

TEST(AttendTable, HasFiveHundredCases) { EXPECT_GE(tableOfCases().size(), 500u); }

} // namespace
} // namespace attnc::attend
