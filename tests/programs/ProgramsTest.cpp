// Tests that random programs are well typed and agree with the oracle.
#include "tests/programs/ProgramCheck.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

namespace attnc::programs {
namespace {

constexpr uint64_t first = 100, programs = 200, inOneTest = 10;

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

INSTANTIATE_TEST_SUITE_P(Random, Programs, testing::Range(first, first + programs, inOneTest));

/// Expects each of `parts`, which `|` separates, somewhere in `text`.
void expectParts(llvm::StringRef text, llvm::StringRef parts) {
  for (llvm::StringRef part : llvm::split(parts, '|'))
    EXPECT_TRUE(text.contains(part)) << part.str();
}

/// Each kind of export, each construct and each way to compile occurs in some program of the tests. Text common to all
/// decoders is excluded, because it is not drawn.
TEST(RandomPrograms, HaveAllOfTheLanguage) {
  std::string decoders, others, options;
  for (uint64_t number = first; number < first + programs; ++number) {
    RandomProgram program = randomProgram(number);
    (llvm::StringRef(program.text).contains("= incremental(") ? decoders : others) += program.text;
    options += program.emitter + " " + program.precision + "\n";
    for (const std::string &each : program.overrides)
      options += each + "\n";
  }
  expectParts(decoders, "= incremental(|= decode(|with: draw|scan|t - 2|n = n + 1");
  expectParts(others, "= gradient(|= attention(|= minimize(|attend|scan| @ |argmax|where|mask:|weight:|yields|key_sums|"
                      "backward|until|accumulate|over: w|over: [|concat|BatchNorm|; 3]");
  expectParts(options, "halide bf16|auto f16|cpu f32|model.fusion=none|attend.form=|attend_gradient.|gemm.|rows.|loops.");
}

} // namespace
} // namespace attnc::programs
