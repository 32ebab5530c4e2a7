#include "tests/compiler/Codegen/CPU/GemmChecks.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "gtest/gtest.h"
#include <cmath>

namespace attnc {

Target target(const std::string &name) { return llvm::cantFail(Target::resolve(name)); }

void check(const GemmCase &c, const RunOptions &options, const std::string &targetName) {
  Target on = target(targetName);
  KernelRunner runner(c.text(on), *createCpuEmitter(), targetName);
  ASSERT_TRUE(runner) << runner.message() << c.text(on);
  std::vector<HostArray> operands = c.operands();
  std::vector<double> expected, bound;
  c.reference(operands, expected, bound);
  if (c.packed)
    operands[1] = c.pack(operands[1], c.panelColumns(on));
  HostArray result = runner.run(operands, {c.shapeOf(c.out)}, options).front();
  ASSERT_EQ(runner.status(), 0);
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(result.f32()[i], expected[i], bound[i]) << "element " << i << " of\n" << c.text(on);
}

const char *const biasGelu = R"(%z = arith.addf %p, %x0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0.7978845608 : f32
  %c1 = arith.constant 0.044715 : f32
  %b2 = arith.mulf %z, %z : f32
  %b3 = arith.mulf %b2, %z : f32
  %i0 = arith.mulf %b3, %c1 : f32
  %i1 = arith.addf %z, %i0 : f32
  %i2 = arith.mulf %i1, %c0 : f32
  %th = math.tanh %i2 : f32
  %o = arith.addf %th, %one : f32
  %h = arith.mulf %z, %half : f32
  %y = arith.mulf %h, %o : f32)";

double gelu(double x) { return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x))); }

const char *const biasResidual = "%t = arith.addf %p, %x0 : f32\n  %y = arith.addf %t, %x1 : f32";

void checkOverTheResidual(GemmCase c) {
  c.extras = {"n", "mn"};
  c.body = biasResidual;
  c.formula = [](double p, const double *x) { return p + x[0] + x[1]; };
  c.inPlaceExtra = 1;
  RunOptions inPlace;
  inPlace.inPlaceOperand = 3;
  check(c, inPlace);
}

} // namespace attnc
