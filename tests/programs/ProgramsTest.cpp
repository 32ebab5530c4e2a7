// Random programs: well typed, and as the oracle says.
#include "tests/programs/ProgramCheck.h"
#include "llvm/ADT/StringExtras.h"
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

/// Each kind of export and each construct is in some program, and each way to compile one.
TEST(RandomPrograms, HaveAllOfTheLanguage) {
  std::string all;
  for (uint64_t number = 0; number < 400; ++number) {
    RandomProgram program = randomProgram(number);
    all += program.text + program.emitter + " " + program.precision + "\n";
    for (const std::string &each : program.overrides)
      all += each + "\n";
  }
  constexpr llvm::StringRef parts =
      "= gradient(|= attention(|= minimize(|= incremental(|= decode(|attend|scan| @ |argmax|where|mask:|"
      "weight:|yields|key_sums|backward|until|accumulate|over: w|over: [|concat|BatchNorm|; 3]|with: draw|"
      "halide bf16|auto f16|cpu f32|model.fusion=none|attend.form=|attend_gradient.|gemm.|rows.|loops.";
  for (llvm::StringRef part : llvm::split(parts, '|'))
    EXPECT_NE(all.find(part.str()), std::string::npos) << part.str();
}

} // namespace
} // namespace attnc::programs
