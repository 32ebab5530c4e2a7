// Random programs: well typed, and as the oracle says.
#include "tests/programs/ProgramCheck.h"
#include <gtest/gtest.h>

namespace attnc::programs {
namespace {

constexpr uint64_t programs = 200, inOneTest = 10;

class Programs : public testing::TestWithParam<uint64_t> {};

TEST_P(Programs, AgreeWithTheOracle) {
  uint64_t refused = 0;
  for (uint64_t number = GetParam(); number < GetParam() + inOneTest; ++number) {
    RandomProgram program = randomProgram(number);
    Verdict verdict = checkInChild(program);
    EXPECT_NE(verdict.kind, Verdict::Wrong) << "program " << number << ": " << verdict.message << "\n" << program.text;
    refused += verdict.kind == Verdict::Refused;
  }
  EXPECT_LE(refused, inOneTest / 5) << "a generator whose programs are refused tests little";
}

INSTANTIATE_TEST_SUITE_P(Random, Programs, testing::Range(uint64_t(0), programs, inOneTest));

/// Each kind of export, and each construct, is in some program.
TEST(RandomPrograms, HaveAllOfTheLanguage) {
  std::string all;
  for (uint64_t number = 0; number < 400; ++number)
    all += randomProgram(number).text;
  for (const char *part :
       {"= gradient(", "= attention(", "= minimize(", "= incremental(", "= decode(", "attend", "scan", " @ ", "argmax",
        "where", "mask:", "weight:", "yields", "backward", "accumulate", "concat"})
    EXPECT_NE(all.find(part), std::string::npos) << part;
}

} // namespace
} // namespace attnc::programs
