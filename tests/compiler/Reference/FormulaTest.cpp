// Tests the derivative of a formula of one argument.
#include "compiler/Reference/Formula.h"
#include "compiler/Reference/RoundingSamples.h"
#include "tests/compiler/Reference/Interpret.h"

namespace attnc::reference {
namespace {

/// The derivative of a function of %x, and the largest change by rounding.
struct Derivative {
  double exact = 0, moved = 0;

  Derivative(llvm::StringRef body, double x) {
    ParsedModule module(("func.func @f(%x: f32) -> f32 {\n" + body + "\nreturn %y : f32\n}").str());
    EXPECT_TRUE(module) << module.diagnostics();
    exact = at(module, x, Rounding::None);
    for (Rounding rounding : sampledRoundings(8))
      moved = std::max(moved, std::fabs(at(module, x, rounding) - exact));
  }

private:
  static double at(ParsedModule &module, double x, Rounding rounding) {
    Environment environment;
    Fault fault;
    auto formula = Formula::read(module.function("f").getBody(), environment, rounding, fault);
    if (failed(formula)) {
      ADD_FAILURE() << fault.message();
      return 0;
    }
    return formula->differentiate({x})->second.at({nullptr, 0});
  }
};

constexpr double unit = 0x1p-24;

TEST(Formula, DifferentiatesEachOp) {
  Derivative derivative("%e = math.exp %x : f32\n%y = arith.mulf %e, %x : f32", 0.5);
  EXPECT_NEAR(derivative.exact, 1.5 * std::exp(0.5), 1e-8);
  EXPECT_GT(derivative.moved, unit / 2);
  EXPECT_LT(derivative.moved, 100 * unit);
}

/// Compiled code computes the derivative as a difference from 1.
TEST(Formula, RoundingMovesTheDerivativeOfTanhByUnitsOfOne) {
  Derivative derivative("%y = math.tanh %x : f32", 6);
  EXPECT_NEAR(derivative.exact, 4 * std::exp(-12.0), 1e-8);
  EXPECT_GT(derivative.moved, unit / 2);
  EXPECT_LT(derivative.moved, 10 * unit);
}

/// The operand is read twice, and its derivatives nearly cancel.
TEST(Formula, RoundingMovesWhatIsLeftOfDerivatives) {
  Derivative derivative("%c = arith.constant 1.0001 : f32\n%q = arith.divf %x, %c : f32\n%y = arith.subf %q, %x : f32", 7);
  EXPECT_NEAR(derivative.exact, -1e-4, 1e-7);
  EXPECT_GT(derivative.moved, unit / 2);
  EXPECT_LT(derivative.moved, 10 * unit);
}

/// Rounding also moves the values at which derivatives are evaluated.
TEST(Formula, RoundingMovesDerivativesAsFormulasDo) {
  Derivative derivative("%c = arith.constant 100.0 : f32\n%s = arith.mulf %x, %c : f32\n%y = math.exp %s : f32", 0.801);
  EXPECT_GT(derivative.moved, 80 * unit * derivative.exact);
  EXPECT_LT(derivative.moved, 1000 * unit * derivative.exact);
}

} // namespace
} // namespace attnc::reference
