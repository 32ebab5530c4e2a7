// Operations that Halide's code calls, on numbers of every kind.
#include "tests/compiler/Codegen/Halide/HalideKernel.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace attnc {
namespace {

/// x with NaN, infinities, zeros of both signs and denormals among random numbers, and what a body makes of it.
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

/// Halide takes 0 * x and x - x for 0.
TEST(HalideCalls, ProductsAndDifferencesThatAreNan) {
  expectAsOracle("%term = arith.mulf %a, %zero : f32");
  expectAsOracle("%term = arith.divf %zero, %a : f32");
  expectAsOracle("%term = arith.subf %a, %a : f32");
  expectAsOracle(R"(%never = arith.cmpi slt, %d0, %c0 : index
      %b = arith.select %never, %a, %zero : f32 %term = arith.mulf %b, %a : f32)");
  // Each product has its own operands, whatever was multiplied by itself.
  expectAsOracle(
      R"(%b = arith.mulf %zero, %zero : f32 %c = arith.mulf %a, %zero : f32 %term = arith.addf %b, %c : f32)");
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
