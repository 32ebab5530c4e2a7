// Tests operations that Halide's code calls, on numbers of every kind.
#include "tests/compiler/Codegen/Halide/HalideKernel.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace attnc {
namespace {

/// Compares a body over x with the oracle; x has NaN, infinities, signed zeros and denormals among random numbers.
void expectAsOracle(const std::string &body) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  HostArray x = random({4, 20}, 1);
  float special[] = {std::nanf(""), infinity, -infinity, 0.0f, -0.0f, 1e-40f, 2.5f, -3.5f, 1.0f, 40.0f, -40.0f};
  std::copy(std::begin(special), std::end(special), x.f32() + 15);
  EXPECT_EQ(check(pointwise(body), {x}, {4, 20}), "") << body;
}

TEST(HalideCalls, ComparisonsOfNan) {
  for (std::string predicate :
       {"olt", "ole", "ogt", "oge", "oeq", "one", "ord", "ult", "ule", "ugt", "uge", "ueq", "une", "uno"}) {
    expectAsOracle("%c = arith.cmpf " + predicate + ", %a, %zero : f32\n" +
                   "%b = arith.addf %a, %a : f32 %term = arith.select %c, %b, %zero : f32");
    expectAsOracle("%true = arith.constant true %d = arith.cmpf " + predicate + ", %a, %a : f32\n" +
                   "%c = arith.xori %d, %true : i1 %one = arith.constant 1.0 : f32\n" +
                   "%term = arith.select %c, %one, %zero : f32");
  }
}

/// Halide simplifies 0 * x and x - x to 0.
TEST(HalideCalls, ProductsAndDifferencesThatAreNan) {
  expectAsOracle("%term = arith.mulf %a, %zero : f32");
  expectAsOracle("%term = arith.divf %zero, %a : f32");
  expectAsOracle("%term = arith.subf %a, %a : f32");
  expectAsOracle(R"(%never = arith.cmpi slt, %d0, %c0 : index
      %b = arith.select %never, %a, %zero : f32 %term = arith.mulf %b, %a : f32)");
  // Each product has its own operands, even if another multiplies the same number.
  expectAsOracle(
      R"(%b = arith.mulf %zero, %zero : f32 %c = arith.mulf %a, %zero : f32 %term = arith.addf %b, %c : f32)");
}

/// Compares a term of x and y, with NaN and infinities, summed over d1 (or multiplied), with the oracle.
void expectSumAsOracle(const std::string &term, const std::string &fold = "arith.addf",
                       const std::string &schedule = "") {
  HostArray x = random({17, 5}, 1), y = random({17, 5}, 2);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (auto [place, value] : {std::pair(4, std::nanf("")), {15, std::nanf("")}, {39, infinity}, {54, -infinity}})
    x.f32()[place] = value;
  Kernel kernel{
      "%x: tensor<17x5xf32>, %y: tensor<17x5xf32>",
      "",
      "",
      "tensor<17xf32>",
      1,
      "tensor<5xf32>",
      R"(%a = tensor.extract %x[%d0, %d1] : tensor<17x5xf32> %b = tensor.extract %y[%d0, %d1] : tensor<17x5xf32>
                   %one = arith.constant 1.0 : f32 %minus = arith.constant -1.0 : f32
                   %three = arith.constant 3 : index %late = arith.cmpi sge, %d1, %three : index
                )" +
          term};
  kernel.fold = fold;
  kernel.start = fold == "arith.mulf" ? "1.0" : "0.0";
  kernel.schedule = schedule;
  EXPECT_EQ(check(kernel, {x, y}, {17}), "") << term;
}

/// Under the condition, Halide proves that both operands are equal.
TEST(HalideCalls, DifferencesThatBecomeNan) {
  for (std::string fold : {"arith.addf", "arith.mulf"}) {
    expectSumAsOracle("%c = arith.select %late, %a, %b : f32 %term = arith.subf %c, %a : f32", fold);
    expectSumAsOracle("%c = arith.select %late, %a, %b : f32 %term = arith.subf %a, %c : f32", fold);
    expectSumAsOracle(R"(%c = arith.select %late, %zero, %one : f32 %d = arith.addf %a, %c : f32
                         %term = arith.subf %d, %a : f32)",
                      fold);
    expectSumAsOracle(R"(%c = arith.select %late, %a, %zero : f32 %d = arith.mulf %a, %minus : f32
                         %term = arith.addf %c, %d : f32)",
                      fold);
    expectSumAsOracle(R"(%c = arith.select %late, %a, %b : f32 %d = arith.subf %c, %a : f32
                         %term = arith.addf %d, %one : f32)",
                      fold);
  }
}

/// In one iteration, an element is subtracted from itself.
TEST(HalideCalls, DifferencesOfElementsThatBecomeOne) {
  expectSumAsOracle(R"(%three_ = tensor.extract %x[%d0, %three] : tensor<17x5xf32>
                       %term = arith.subf %a, %three_ : f32)",
                    "arith.addf");
}

/// Products with an index that is 0, and with a term that a condition makes 0.
TEST(HalideCalls, ProductsWithNumbersOfLoops) {
  for (std::string fold : {"arith.addf", "arith.mulf"}) {
    expectSumAsOracle(R"(%i = arith.index_cast %d1 : index to i32 %f = arith.sitofp %i : i32 to f32
                         %term = arith.mulf %f, %a : f32)",
                      fold);
    expectSumAsOracle("%term = arith.select %late, %a, %zero : f32", fold);
  }
}

/// -0 + 0 is 0; the inverse shows the sign of a zero.
TEST(HalideCalls, SignsOfZeros) {
  std::string numbers = "%minus = arith.constant -0.0 : f32 %one = arith.constant 1.0 : f32 ";
  for (std::string sum : {
           "%s = arith.addf %a, %zero : f32",
           "%s = arith.addf %zero, %minus : f32",
           R"(%three = arith.constant 3 : index %two = arith.constant 2 : index
              %early = arith.cmpi slt, %d1, %three : index %earlier = arith.cmpi slt, %d1, %two : index
              %b = arith.select %early, %minus, %a : f32 %c = arith.select %earlier, %zero, %minus : f32
              %s = arith.addf %b, %c : f32)",
       })
    expectAsOracle("%tiny = arith.constant 1.0e-30 : f32 " + numbers + sum +
                   " %b_ = math.absf %s : f32 %isSmall = arith.cmpf olt, %b_, %tiny : f32"
                   " %t = arith.select %isSmall, %zero, %s : f32 %sign = math.copysign %t, %s : f32"
                   " %term = arith.divf %one, %sign : f32");
}

TEST(HalideCalls, Functions) {
  for (std::string function : {"exp", "exp2", "expm1", "tanh", "erf", "sin", "cos", "rsqrt"})
    expectAsOracle(R"(%low = arith.constant -30.0 : f32 %high = arith.constant 30.0 : f32
      %b = arith.minimumf %a, %high : f32 %c = arith.maximumf %b, %low : f32 %d = math.absf %c : f32
      %e = math.exp %c : f32 %term = math.)" +
                   function + " " + (function == "rsqrt" ? "%e" : "%c") + " : f32");
  expectAsOracle("%term = math.log %a : f32");
}

TEST(HalideCalls, NumbersOf32BitsThatWrap) {
  expectAsOracle(R"(%i = arith.fptosi %a : f32 to i32 %big = arith.constant 2147483647 : i32
      %j = arith.addi %i, %big : i32 %k = arith.muli %j, %j : i32 %three = arith.constant 3 : i32
      %r = arith.remsi %k, %three : i32 %s = arith.shrsi %j, %three : i32 %t = arith.xori %r, %s : i32
      %n = arith.maxsi %t, %i : i32 %term = arith.sitofp %n : i32 to f32)");
}

} // namespace
} // namespace attnc
