#include "compiler/Reference/RoundingSamples.h"
#include "tests/compiler/Reference/Interpret.h"

namespace attnc::reference {
namespace {

/// Interprets @f of `text` under the usual number of sampled roundings.
RoundingSamples samplesOf(llvm::StringRef text, llvm::ArrayRef<Array> inputs, const Array &exact) {
  RoundingSamples samples(exact);
  ParsedModule module(text);
  EXPECT_TRUE(module) << module.diagnostics();
  for (Rounding rounding : sampledRoundings())
    samples.add(llvm::cantFail(interpret(module.function("f"), inputs, {}, nullptr, rounding)).front());
  return samples;
}

std::string formula(llvm::StringRef body, llvm::StringRef type = "f32") {
  return ("func.func @f(%x: f32) -> " + type + " {\n" + body + "\n}").str();
}

/// The error of exp(100 x) is 100 x times that of its argument.
TEST(RoundingSamples, AmplifyAsFormulasDo) {
  std::string text = formula("%c = arith.constant 100.0 : f32\n%s = arith.mulf %x, %c : f32\n"
                             "%e = math.exp %s : f32\nreturn %e : f32");
  Array exact = number(std::exp(80.1)), input = number(0.801);
  double one = exact.values[0] * 0x1p-24, moved = samplesOf(text, {input}, exact).movement(0);
  EXPECT_GT(moved, 80 * one);
  EXPECT_LT(moved, 1000 * one);
}

TEST(RoundingSamples, TakeEitherSideOfAJump) {
  std::string text = formula("%t = arith.constant 3.0 : f32\n%s = arith.divf %x, %t : f32\n"
                             "%i = arith.fptosi %s : f32 to i32\nreturn %i : i32",
                             "i32");
  Array exact = Array::scalar(Element::I32, 7);
  RoundingSamples samples = samplesOf(text, {number(21)}, exact);
  EXPECT_TRUE(samples.explains(0, 7, 0));
  EXPECT_TRUE(samples.explains(0, 6, 0));
  EXPECT_FALSE(samples.explains(0, 6, 0, /*scale=*/0));
  EXPECT_FALSE(samples.explains(0, 8, 0));
  EXPECT_FALSE(samples.explains(0, 5, 0));
}

/// Rounding does not move results that are exact in f32: integers, equal numbers, the larger of two.
TEST(RoundingSamples, LeaveWhatIsTrueInF32) {
  std::string text = formula("%c = arith.constant 5.0 : f32\n%p = arith.mulf %x, %c : f32\n"
                             "%m = arith.maximumf %p, %c : f32\n%d = arith.cmpf oeq, %m, %p : f32\nreturn %d : i1",
                             "i1");
  for (double x : {3.0, 1.1}) {
    Array exact = Array::scalar(Element::I1, 1);
    EXPECT_EQ(samplesOf(text, {number(static_cast<float>(x))}, exact).movement(0), 0);
  }
}

/// Returns p - max(p, 0) for p = 5 x: compiled code may round one of the two products only.
std::string differenceOfProducts() {
  return formula("%c = arith.constant 5.0 : f32\n%z = arith.constant 0.0 : f32\n%p = arith.mulf %x, %c : f32\n"
                 "%m = arith.maximumf %p, %z : f32\n%d = arith.subf %p, %m : f32\nreturn %d : f32");
}

TEST(RoundingSamples, DifferencesShowTheRoundingOfWhatIsComputed) {
  Array exact = number(0);
  double moved = samplesOf(differenceOfProducts(), {number(1.1f)}, exact).movement(0);
  EXPECT_GE(moved, 5.5 * 0x1p-24);
  EXPECT_LE(moved, 5.5 * 0x1p-20);
}

TEST(RoundingSamples, DifferencesOfNumbersOfHalfTheDigitsAreExact) {
  Array exact = number(0);
  EXPECT_EQ(samplesOf(differenceOfProducts(), {number(1.5)}, exact).movement(0), 0);
}

TEST(RoundingSamples, DifferencesOfWhatIsGivenAreExact) {
  std::string text = formula("%c = arith.constant 1.0 : f32\n%m = arith.maximumf %x, %c : f32\n"
                             "%d = arith.subf %m, %x : f32\nreturn %d : f32");
  Array exact = number(0);
  EXPECT_EQ(samplesOf(text, {number(1.1f)}, exact).movement(0), 0);
}

TEST(RoundingSamples, StayFiniteNextToTheLargestNumber) {
  double largest = std::numeric_limits<float>::max();
  int moved = 0;
  for (Rounding rounding : sampledRoundings(64))
    for (double value : {largest, -largest}) {
      double sample = rounded(value, rounding);
      EXPECT_TRUE(std::isfinite(sample)) << rounding.draw;
      moved += sample != value;
    }
  EXPECT_GT(moved, 0) << "steps towards zero stay";
  std::string text = formula("%one = arith.constant 1.0 : f32\n%q = arith.divf %x, %one : f32\nreturn %q : f32");
  Array exact = number(largest);
  EXPECT_LT(samplesOf(text, {exact}, exact).movement(0), largest * 0x1p-20);
}

TEST(RoundingSamples, OfWhatIsNoNumber) {
  Array exact = number(1);
  RoundingSamples samples(exact);
  samples.add(number(infinity));
  EXPECT_EQ(samples.movement(0), 0);
  EXPECT_FALSE(samples.explains(0, infinity, 0));
  EXPECT_FALSE(samples.explains(0, notANumber, 0));
  EXPECT_FALSE(samples.explains(0, 2, 0));
}

} // namespace
} // namespace attnc::reference
