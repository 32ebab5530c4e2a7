// Compares attn.attend with closed forms, and tests its rule's edge cases.
#include "tests/compiler/Reference/Interpret.h"

using namespace attnc::reference;

namespace {

/// Returns softmax attention of scores[queries, keys] with values of one feature. `mask` and `weight` are regions.
std::vector<Array> attend(const Array &scores, const Array &values, const std::string &mask = "",
                          const std::string &weight = "") {
  return interpretText(R"(
    func.func @f(%s: tensor<?x?xf32>, %v: tensor<?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>) {
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      %n = tensor.dim %s, %0 : tensor<?x?xf32>
      %m = tensor.dim %s, %1 : tensor<?x?xf32>
      %y:3 = attn.attend softmax outer(%n) keys(%m) values() yields [value, weights, lse]
        score(%i, %j) { %e = tensor.extract %s[%i, %j] : tensor<?x?xf32> attn.yield %e : f32 }
        )" + mask + weight +
                           R"(
        value(%i, %j) { %e = tensor.extract %v[%j] : tensor<?xf32> attn.yield %e : f32 }
        : tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32>
      return %y#0, %y#1, %y#2 : tensor<?xf32>, tensor<?x?xf32>, tensor<?xf32> })",
                       {scores, values});
}

const std::string causalMask = R"(mask(%i, %j) { %k = arith.cmpi sle, %j, %i : index attn.yield %k : i1 })";
const std::string nothing = R"(mask(%i, %j) { %k = arith.constant false attn.yield %k : i1 })";
const double log2 = std::log(2.0), log3 = std::log(3.0);

TEST(Attend, SoftmaxOfLogarithmsAreShares) {
  auto y = attend(floats({1, 3}, {0, log2, log3}), floats({3}, {6, 60, 600}));
  expectArray(y[0], {1}, {321});
  expectArray(y[1], {1, 3}, {1.0 / 6, 2.0 / 6, 3.0 / 6});
  expectArray(y[2], {1}, {std::log(6.0)});
}

TEST(Attend, CausalRowsSeeWhatCameBefore) {
  auto y = attend(floats({3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0}), floats({3}, {1, 3, 8}), causalMask);
  expectArray(y[0], {3}, {1, 2, 4});
  expectArray(y[2], {3}, {0, log2, log3});
}

TEST(Attend, HugeScoresDoNotOverflow) {
  auto y = attend(floats({1, 2}, {1e30, 1e30}), floats({2}, {1, 3}));
  expectArray(y[0], {1}, {2});
}

TEST(Attend, EmptyRowIsZero) {
  auto y = attend(floats({1, 2}, {notANumber, 1}), floats({2}, {infinity, 1}), nothing);
  expectArray(y[0], {1}, {0});
  expectArray(y[1], {1, 2}, {0, 0});
  expectArray(y[2], {1}, {-infinity});
}

TEST(Attend, MinusInfinityIsAsMasked) {
  auto y = attend(floats({2, 2}, {-infinity, 3, -infinity, -infinity}), floats({2}, {notANumber, 5}));
  expectArray(y[0], {2}, {5, 0});
  expectArray(y[1], {2, 2}, {0, 1, 0, 0});
  expectArray(y[2], {2}, {3, -infinity});
}

TEST(Attend, KeptNotANumberAndInfinityMakeTheirRowSo) {
  auto y = attend(floats({3, 2}, {notANumber, 0, infinity, 0, 0, 0}), floats({2}, {2, 4}));
  expectArray(y[0], {3}, {notANumber, notANumber, 3});
  expectArray(y[1], {3, 2}, {notANumber, notANumber, notANumber, notANumber, 0.5, 0.5});
  expectArray(y[2], {3}, {notANumber, notANumber, log2});
}

TEST(Attend, MaskedNotANumberDoesNotMatter) {
  auto y = attend(floats({1, 2}, {4, notANumber}), floats({2}, {7, notANumber}), causalMask);
  expectArray(y[0], {1}, {7});
}

TEST(Attend, WeightIsAppliedAfterNormalising) {
  auto y = attend(floats({1, 2}, {0, 0}), floats({2}, {2, 4}), "",
                  "weight(%p: f32, %i, %j) { %q = arith.mulf %p, %p : f32 attn.yield %q : f32 }");
  expectArray(y[0], {1}, {1.5});
  expectArray(y[1], {1, 2}, {0.25, 0.25});
  expectArray(y[2], {1}, {log2});
}

TEST(Attend, RatioDividesByTheSum) {
  auto y = interpretText(R"(
    func.func @f(%s: tensor<3x2xf32>, %v: tensor<2xf32>) -> (tensor<3xf32>, tensor<3x2xf32>) {
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %y:2 = attn.attend ratio outer(%c3) keys(%c2) values() yields [value, weights]
        score(%i, %j) { %e = tensor.extract %s[%i, %j] : tensor<3x2xf32> attn.yield %e : f32 }
        value(%i, %j) { %e = tensor.extract %v[%j] : tensor<2xf32> attn.yield %e : f32 }
        : tensor<3xf32>, tensor<3x2xf32>
      return %y#0, %y#1 : tensor<3xf32>, tensor<3x2xf32> })",
                         {floats({3, 2}, {1, 3, 2, -2, 1, infinity}), floats({2}, {4, 8})});
  expectArray(y[0], {3}, {7, 0, notANumber});
  expectArray(y[1], {3, 2}, {0.25, 0.75, 0, 0, notANumber, notANumber});
}

TEST(Attend, NoKeysAndNoQueries) {
  expectArray(attend(floats({2, 0}, {}), floats({0}, {}))[0], {2}, {0, 0});
  expectArray(attend(floats({0, 2}, {}), floats({2}, {1, 1}))[0], {0}, {});
}

TEST(Attend, DotProductScoreWithGroupedHeads) {
  // Two query heads share one key head; value_layout permutes y[i, h, c].
  auto y = interpretText(
      R"(
    func.func @f(%q: tensor<2x1x2xf32>, %k: tensor<1x2x2xf32>, %v: tensor<1x2x1xf32>) -> tensor<1x2x1xf32> {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %y = attn.attend softmax outer(%c2, %c1) keys(%c2) values(%c1) yields [value]
        score(%h, %i, %j) {
          %g = arith.floordivsi %h, %c2 : index
          %s = attn.reduce add (%d) in (%c2) {
            %a = tensor.extract %q[%h, %i, %d] : tensor<2x1x2xf32>
            %b = tensor.extract %k[%g, %j, %d] : tensor<1x2x2xf32>
            %m = arith.mulf %a, %b : f32
            attn.yield %m : f32
          } : f32
          attn.yield %s : f32
        }
        value(%h, %i, %j, %c) {
          %g = arith.floordivsi %h, %c2 : index
          %e = tensor.extract %v[%g, %j, %c] : tensor<1x2x1xf32>
          attn.yield %e : f32
        } {value_layout = array<i64: 1, 0, 2>} : tensor<1x2x1xf32>
      return %y : tensor<1x2x1xf32> })",
      {floats({2, 1, 2}, {1, 0, 0, 1}), floats({1, 2, 2}, {log3, 0, 0, log3}), floats({1, 2, 1}, {4, 8})});
  expectArray(y[0], {1, 2, 1}, {5, 7});
}

TEST(Attend, KeysOfTwoIndicesAndEachReduction) {
  auto y = interpretText(R"(
    func.func @f(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<f32>) {
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %y:2 = attn.attend ratio outer() keys(%c2, %c3) values() yields [weights, value]
        score(%a, %b) {
          %m = attn.reduce max (%d) in (%c3) {
            %e = tensor.extract %x[%a, %d] : tensor<2x3xf32> attn.yield %e : f32 } : f32
          %n = attn.reduce min (%d) in (%c2) {
            %e = tensor.extract %x[%d, %b] : tensor<2x3xf32> attn.yield %e : f32 } : f32
          %p = attn.reduce mul (%d) in (%c2) {
            %e = tensor.extract %x[%d, %d] : tensor<2x3xf32> attn.yield %e : f32 } : f32
          %s = arith.mulf %m, %n : f32
          %t = arith.mulf %s, %p : f32
          attn.yield %t : f32
        }
        value(%a, %b) { %e = tensor.extract %x[%a, %b] : tensor<2x3xf32> attn.yield %e : f32 }
        : tensor<2x3xf32>, tensor<f32>
      return %y#0, %y#1 : tensor<2x3xf32>, tensor<f32> })",
                         {floats({2, 3}, {1, 2, 3, 4, 5, 6})});
  // Scores are (3 or 6) (1, 2 or 3) 5, so the weights are (1 or 2) (1, 2 or 3) / 18.
  expectArray(y[0], {2, 3}, {1.0 / 18, 2.0 / 18, 3.0 / 18, 2.0 / 18, 4.0 / 18, 6.0 / 18});
  expectArray(y[1], {}, {(1 + 4 + 9 + 8 + 20 + 36) / 18.0});
}

} // namespace
