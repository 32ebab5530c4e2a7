// Compares attn.attend_gradient with central differences of attn.attend, and tests its rule's edge cases.
#include "tests/compiler/Reference/Interpret.h"

using namespace attnc::reference;

namespace {

/// Attention and its gradient: q, k and v of `features` features, a bias for each pair, a scalar `gamma`.
struct Case {
  std::string normaliser = "softmax", score = "%y = arith.addf %s, %b : f32", mask, weight, layout;

  std::string formulas() const {
    return R"(score(%i, %j) {
        %s = attn.reduce add (%d) in (%D) {
          %qe = tensor.extract %q[%i, %d] : tensor<?x?xf32>
          %ke = tensor.extract %k[%j, %d] : tensor<?x?xf32>
          %t = arith.mulf %qe, %ke : f32
          attn.yield %t : f32
        } : f32
        %b = tensor.extract %bias[%i, %j] : tensor<?x?xf32>
        %g = tensor.extract %gamma[] : tensor<f32>
        )" +
           score + "\n attn.yield %y : f32 }\n" + mask + weight + R"(
      value(%i, %j, %e) { %x = tensor.extract %v[%j, %e] : tensor<?x?xf32> attn.yield %x : f32 } )";
  }
  static std::string arguments() {
    return "%q: tensor<?x?xf32>, %k: tensor<?x?xf32>, %v: tensor<?x?xf32>, %bias: tensor<?x?xf32>, %gamma: tensor<f32>";
  }
  static std::string sizes() {
    return R"(%0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      %N = tensor.dim %q, %0 : tensor<?x?xf32>
      %M = tensor.dim %k, %0 : tensor<?x?xf32>
      %D = tensor.dim %q, %1 : tensor<?x?xf32>
      %E = tensor.dim %v, %1 : tensor<?x?xf32>
      )";
  }
  std::string forward() const {
    return "func.func @f(" + arguments() + ") -> tensor<?x?xf32> {\n" + sizes() + "%o = attn.attend " + normaliser +
           " outer(%N) keys(%M) values(%E) yields [value] " + formulas() + layout + " : tensor<?x?xf32>\n" +
           "return %o : tensor<?x?xf32> }";
  }
  std::string backward() const {
    return "func.func @f(" + arguments() + ", %do: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, " +
           "tensor<?x?xf32>, tensor<?x?xf32>, tensor<f32>) {\n" + sizes() + "%r:5 = attn.attend_gradient " +
           normaliser + " outer(%N) keys(%M) values(%E) yields [value] cotangents(%do : tensor<?x?xf32>) " +
           "of(%q, %k, %v, %bias, %gamma : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, " +
           "tensor<f32>) " + formulas() + layout +
           "\nreturn %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, " +
           "tensor<?x?xf32>, tensor<f32> }";
  }
};

double weigh(const Array &y, const Array &dy) {
  double sum = 0;
  for (size_t i = 0; i < y.values.size(); ++i)
    sum += y.values[i] * dy.values[i];
  return sum;
}

Array wavy(std::initializer_list<int64_t> shape, double phase, double offset = 0) {
  Array array(Element::F32, llvm::ArrayRef<int64_t>(shape.begin(), shape.end()));
  for (size_t i = 0; i < array.values.size(); ++i)
    array.values[i] = offset + std::sin(phase + 1.7 * double(i));
  return array;
}

void expectGradientsOfDifferences(const Case &each, double offset = 0) {
  std::vector<Array> inputs = {wavy({4, 3}, 0.1, offset), wavy({5, 3}, 0.5, offset), wavy({5, 2}, 0.9),
                               wavy({4, 5}, 1.3, offset), floats({}, {0.7})};
  Array cotangent = each.layout.empty() ? wavy({4, 2}, 2.1) : wavy({2, 4}, 2.1);
  std::vector<Array> all = inputs;
  all.push_back(cotangent);
  auto gradients = interpretText(each.backward(), all);
  for (size_t input = 0; input < inputs.size(); ++input)
    for (size_t element = 0; element < inputs[input].values.size(); ++element) {
      double &x = inputs[input].values[element], at = x, step = 1e-5;
      x = at + step;
      double above = weigh(interpretText(each.forward(), inputs)[0], cotangent);
      x = at - step;
      double below = weigh(interpretText(each.forward(), inputs)[0], cotangent);
      x = at;
      ASSERT_NEAR(gradients[input].values[element], (above - below) / (2 * step), 1e-8)
          << "input " << input << ", element " << element;
    }
}

const std::string causal = "mask(%i, %j) { %m = arith.cmpi sle, %j, %i : index attn.yield %m : i1 }\n";

TEST(AttendGradient, DotProductWithBias) { expectGradientsOfDifferences({}); }

TEST(AttendGradient, MaximumOfNearlyEqualTermsTakesOne) {
  Case each;
  each.score = "%tiny = arith.constant 1.0e-7 : f32 %z = arith.mulf %b, %b : f32 %less = arith.mulf %z, %tiny : f32 "
               "%under = arith.subf %s, %less : f32 %y = arith.maximumf %s, %under : f32";
  std::vector<Array> inputs = {wavy({4, 3}, 0.1), wavy({5, 3}, 0.5), wavy({5, 2}, 0.9),
                               wavy({4, 5}, 1.3), floats({}, {0.7}), wavy({4, 2}, 2.1)};
  std::vector<Array> gradients = interpretText(each.backward(), inputs);
  for (double ofBias : gradients[3].values)
    EXPECT_EQ(ofBias, 0);
}
TEST(AttendGradient, CausalMask) {
  Case each;
  each.mask = causal;
  expectGradientsOfDifferences(each);
}
TEST(AttendGradient, SoftCapWithALearnedCap) {
  Case each;
  each.score = "%u = arith.divf %s, %g : f32 %t = math.tanh %u : f32 %w = arith.mulf %t, %g : f32 %y = arith.addf %w, "
               "%b : f32";
  expectGradientsOfDifferences(each);
}
TEST(AttendGradient, WeightThatIsNotLinear) {
  Case each;
  each.weight = "weight(%p: f32, %i, %j) { %c = tensor.extract %bias[%i, %j] : tensor<?x?xf32> %z = arith.mulf %p, %p "
                ": f32 %y = arith.mulf %z, %c : f32 attn.yield %y : f32 }\n";
  expectGradientsOfDifferences(each);
}
TEST(AttendGradient, Ratio) {
  Case each;
  each.normaliser = "ratio";
  expectGradientsOfDifferences(each, /*offset=*/3);
}
TEST(AttendGradient, ValueLayout) {
  Case each;
  each.layout = "{value_layout = array<i64: 1, 0>}";
  expectGradientsOfDifferences(each);
}
/// The cotangents of a row's scores cancel if the derivatives of tanh are nearly 1 for all keys.
TEST(AttendGradient, RoundingMovesWhatIsLeftOfSums) {
  Case each;
  each.score = "%u = arith.addf %b, %g : f32 %y = math.tanh %u : f32";
  std::vector<Array> inputs = {wavy({4, 3}, 0.1), wavy({5, 3}, 0.5),  wavy({5, 2}, 0.9),
                               wavy({4, 5}, 1.3), floats({}, {0.01}), wavy({4, 2}, 2.1)};
  for (double &bias : inputs[3].values)
    bias *= 1e-3;
  attnc::ParsedModule module(each.backward());
  auto gradientOfGamma = [&](Rounding rounding) {
    return llvm::cantFail(interpret(module.function("f"), inputs, {}, nullptr, rounding))[4].values[0];
  };
  double exact = gradientOfGamma(Rounding::None), moved = std::fabs(gradientOfGamma(Rounding::ToF32) - exact);
  EXPECT_LT(std::fabs(exact), 1e-3);
  EXPECT_GT(moved, 0x1p-24 * std::fabs(exact) * 10); // rounding only the sum moves it by at most one unit
  EXPECT_LT(moved, 0x1p-24 * 10);                    // terms are less than 1
}

TEST(AttendGradient, RowsThatKeepNothingGiveZeros) {
  Case each;
  each.mask = "mask(%i, %j) { %m = arith.constant false attn.yield %m : i1 }\n";
  auto gradients = interpretText(each.backward(), {wavy({1, 2}, 0), wavy({2, 2}, 1), wavy({2, 1}, 2), wavy({1, 2}, 3),
                                                   floats({}, {notANumber}), wavy({1, 1}, 4)});
  for (const Array &gradient : gradients)
    for (double element : gradient.values)
      EXPECT_EQ(element, 0);
}

} // namespace
