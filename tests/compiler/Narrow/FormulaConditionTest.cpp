// Tests condition numbers of formulas of one element of a kernel's operand.
#include "compiler/Narrow/KernelCondition.h"
#include "mlir/IR/Builders.h"
#include "tests/support/ParsedModule.h"
#include <cmath>
#include <gtest/gtest.h>

namespace attnc {
namespace {

constexpr double extent = 5000;
const TensorFacts data{{}, {extent}};
TensorFacts positions(double count) { return {{{0, count - 1}, true, true}, {extent}}; }
TensorFacts exact(double least, double greatest) { return {{{least, greatest}, true, false}, {extent}}; }

class FormulaCondition : public testing::Test {
protected:
  /// Returns how the rounding of x affects `%r`, a formula of x's element %e, an element %other of data, the flag %yes
  /// and the index %i.
  Influence influenceOf(const std::string &formula, const TensorFacts &x, const std::string &type = "f32") {
    std::string text = R"(
func.func private @k(%x: tensor<?xf32>, %o: tensor<?xf32>, %t: tensor<?xi1>) -> tensor<?x)" +
                       type + R"(>
    attributes {attn.kernel = "loops"} {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%size) : tensor<?x)" +
                       type + R"(>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
                                        affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x, %o, %t : tensor<?xf32>, tensor<?xf32>, tensor<?xi1>) outs(%empty : tensor<?x)" +
                       type + R"(>) {
  ^bb0(%e: f32, %other: f32, %yes: i1, %out: )" +
                       type + R"():
    %i = linalg.index 0 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
)" + formula + R"(
    linalg.yield %r : )" +
                       type + R"(
  } -> tensor<?x)" + type +
                       R"(>
  return %y : tensor<?x)" +
                       type + R"(>
})";
    ParsedModule module(text);
    EXPECT_TRUE(module) << module.diagnostics();
    if (!module)
      return {};
    TensorFacts truths{{{0, 1}, true, true}, {extent}};
    KernelConditions conditions(module.function(), {x, data, truths}, format);
    return conditions.influenceOf(0)[0];
  }
  double factorOf(const std::string &formula, const TensorFacts &x = data) {
    return influenceOf(formula, x).direct.factor;
  }
  bool isUndecided(const std::string &formula, const std::string &type, const TensorFacts &x = data) {
    return influenceOf(formula, x, type).direct.isUndecided();
  }

  mlir::MLIRContext context;
  StorageFormat format = StorageFormat::of(mlir::Builder(&context).getBF16Type());
};

TEST_F(FormulaCondition, FormatsHaveTheirRoundoff) {
  EXPECT_EQ(format.roundoff, 0x1p-8);
  EXPECT_EQ(format.exactIntegers, 256);
  StorageFormat f16 = StorageFormat::of(mlir::Builder(&context).getF16Type());
  EXPECT_EQ(f16.roundoff, 0x1p-11);
  EXPECT_EQ(f16.spacing, 0x1p-24);
  EXPECT_EQ(f16.largest, 65504);
  EXPECT_EQ(f16.exactIntegers, 2048);
}

TEST_F(FormulaCondition, OfASineIsTheSizeOfTheAngle) {
  EXPECT_NEAR(factorOf("%r = math.sin %e : f32", exact(0, 4095)), 4095, 100);
  EXPECT_NEAR(factorOf("%r = math.cos %e : f32", exact(-100, 30)), 100, 5);
  EXPECT_LE(factorOf("%r = math.sin %e : f32", exact(-1, 1)), 1.2);
  Influence unknown = influenceOf("%r = math.sin %e : f32", data);
  EXPECT_TRUE(unknown.direct.isUnbounded);
  EXPECT_EQ(unknown.direct.cause, "`sin`");
  EXPECT_GT(factorOf("%a = arith.mulf %e, %e : f32\n%b = arith.mulf %a, %other : f32\n%r = math.cos %b : f32"), 1e6);
}

TEST_F(FormulaCondition, OfAnExponentialEndsWhereItOverflows) {
  EXPECT_NEAR(factorOf("%r = math.exp %e : f32"), 88, 8);
  EXPECT_FALSE(influenceOf("%r = math.exp %e : f32", data).direct.isUnbounded);
  EXPECT_LE(factorOf("%r = math.exp %e : f32", exact(-1e6, 0)), 0.5);
}

/// Activation functions of networks amplify errors little, at any magnitude of their argument.
TEST_F(FormulaCondition, OfActivationsIsSmall) {
  const char *sigmoid = "%n = arith.negf %e : f32\n%p = math.exp %n : f32\n%q = arith.addf %p, %one : f32\n";
  const std::string formulas[] = {
      "%r = arith.maximumf %e, %zero : f32",
      "%r = math.tanh %e : f32",
      "%r = math.erf %e : f32",
      "%r = arith.mulf %e, %other : f32",
      "%r = arith.addf %e, %other : f32",
      "%r = arith.subf %e, %other : f32",
      "%r = arith.divf %other, %e : f32",
      "%a = arith.mulf %e, %e : f32\n%r = arith.addf %a, %one : f32",
      "%a = math.absf %e : f32\n%r = math.sqrt %a : f32",
      "%a = math.absf %e : f32\n%r = math.log %a : f32",
      std::string(sigmoid) + "%r = arith.divf %one, %q : f32",
      std::string(sigmoid) + "%r = arith.divf %e, %q : f32",
      // relu, absolute values and leaky relu by comparisons; the logistic function in two arms; softplus
      "%c = arith.cmpf ogt, %e, %zero : f32\n%r = arith.select %c, %e, %zero : f32",
      "%c = arith.cmpf oge, %e, %zero : f32\n%n = arith.negf %e : f32\n%r = arith.select %c, %e, %n : f32",
      "%c = arith.cmpf oge, %e, %zero : f32\n%n = arith.mulf %e, %other : f32\n%r = arith.select %c, %e, %n : f32",
      "%c = arith.cmpf oge, %e, %zero : f32\n%n = arith.negf %e : f32\n%a = arith.select %c, %n, %e : f32\n"
      "%p = math.exp %a : f32\n%q = arith.addf %p, %one : f32\n%u = arith.select %c, %one, %p : f32\n"
      "%r = arith.divf %u, %q : f32",
      "%c = arith.cmpf oge, %e, %zero : f32\n%n = arith.negf %e : f32\n%a = arith.select %c, %n, %e : f32\n"
      "%p = math.exp %a : f32\n%q = arith.addf %p, %one : f32\n%l = math.log %q : f32\n"
      "%m = arith.maximumf %e, %zero : f32\n%r = arith.addf %l, %m : f32",
      // a mask that does not depend on %e
      "%r = arith.select %yes, %e, %zero : f32",
  };
  for (const std::string &formula : formulas) {
    double factor = factorOf(formula);
    EXPECT_GT(factor, 0) << formula;
    EXPECT_LE(factor, 4) << formula;
  }
}

TEST_F(FormulaCondition, OfAStepIsItsHeightOverTheRoundoff) {
  EXPECT_NEAR(factorOf("%c = arith.cmpf ogt, %e, %zero : f32\n%r = arith.select %c, %one, %zero : f32"), 256, 1);
  EXPECT_NEAR(factorOf("%c = arith.cmpf ogt, %e, %other : f32\n%r = arith.select %c, %one, %zero : f32"), 256, 1);
  EXPECT_GE(factorOf("%r = math.floor %e : f32"), 200);
  EXPECT_GE(factorOf("%a = arith.fptosi %e : f32 to i32\n%r = arith.sitofp %a : i32 to f32"), 200);
}

TEST_F(FormulaCondition, OfADecisionHasNoBound) {
  EXPECT_TRUE(isUndecided("%r = arith.fptosi %e : f32 to i32", "i32"));
  EXPECT_TRUE(isUndecided("%r = arith.cmpf olt, %e, %other : f32", "i1"));
  EXPECT_TRUE(isUndecided("%a = math.log %e : f32\n%r = arith.fptosi %a : f32 to i32", "i32", exact(1, 100)));
  const char *gather = "%a = arith.fptosi %e : f32 to i32\n%b = arith.index_cast %a : i32 to index\n"
                       "%r = tensor.extract %o[%b] : tensor<?xf32>";
  EXPECT_TRUE(isUndecided(gather, "f32"));
  EXPECT_TRUE(isUndecided("%r = arith.remf %e, %other : f32", "f32")); // ops without a rule
  EXPECT_TRUE(isUndecided("%r = math.tan %e : f32", "f32"));
  // Constant over the whole range, or independent of the element.
  EXPECT_FALSE(isUndecided("%r = arith.fptosi %e : f32 to i32", "i32", exact(0.25, 0.75)));
  EXPECT_FALSE(isUndecided("%r = arith.cmpf olt, %other, %one : f32", "i1"));
}

TEST_F(FormulaCondition, OfADifferenceOfPositionsIsTheirSize) {
  const char *distance = "%a = arith.index_cast %i : index to i32\n%b = arith.sitofp %a : i32 to f32\n"
                         "%r = arith.subf %e, %b : f32";
  EXPECT_NEAR(factorOf(distance, positions(5000)), 4999, 1);
  EXPECT_LE(factorOf(distance, exact(-1, 1)), 1);
  EXPECT_LE(factorOf(distance, data), 4);
}

TEST_F(FormulaCondition, OfADifferenceOfElementsHasNoBound) {
  const char *difference = "%c1 = arith.constant 1 : index\n%j = arith.addi %i, %c1 : index\n"
                           "%f = tensor.extract %x[%j] : tensor<?xf32>\n%d = arith.subf %f, %e : f32\n";
  EXPECT_GT(factorOf(std::string(difference) + "%r = arith.addf %d, %zero : f32"), 1e3);
  // A step from one element towards the other has their magnitude.
  EXPECT_LE(factorOf(std::string(difference) + "%m = arith.mulf %d, %other : f32\n%r = arith.addf %e, %m : f32"), 6);
}

TEST_F(FormulaCondition, LeavesIntegersThatTheFormatHolds) {
  EXPECT_EQ(factorOf("%r = math.sin %e : f32", positions(257)), 0);
  EXPECT_GT(factorOf("%r = math.sin %e : f32", positions(258)), 200);
}

TEST_F(FormulaCondition, OfSmallNumbersCountsTheSpacingOfTheFormat) {
  const char *logarithm = "%r = math.log %e : f32";
  EXPECT_LE(factorOf(logarithm, exact(1e-9, 1)), 4);
  format = StorageFormat::of(mlir::Builder(&context).getF16Type());
  EXPECT_GT(factorOf(logarithm, exact(1e-9, 1)), 64);
}

} // namespace
} // namespace attnc
