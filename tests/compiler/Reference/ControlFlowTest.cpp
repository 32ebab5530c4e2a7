#include "tests/compiler/Reference/Interpret.h"

using namespace attnc::reference;

namespace {

TEST(ControlFlow, LoopCarriesTensorsAndReadsParametersByIndex) {
  // x = x * scale[l] for each of three layers
  Parameters parameters = {{"blocks.0.scale", number(2)}, {"blocks.1.scale", number(3)}, {"blocks.2.scale", number(5)}};
  for (auto &[name, value] : parameters)
    value.shape = {1}, value.values.resize(1);
  auto results = interpretText(R"(module {
    model.parameter @scale [3] : tensor<1xf32> checkpoint "blocks.{0}.scale" init <"ones", 0.0, 0.0>
    func.func private @kernel(%x: tensor<1xf32>, %s: tensor<1xf32>) -> tensor<1xf32> {
      %y = arith.mulf %x, %s : tensor<1xf32>
      return %y : tensor<1xf32> }
    func.func @f(%x: tensor<1xf32>) -> tensor<1xf32> {
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      %3 = arith.constant 3 : index
      %y = scf.for %l = %0 to %3 step %1 iter_args(%c = %x) -> tensor<1xf32> {
        %s = model.get @scale[%l] : tensor<1xf32>
        %n = func.call @kernel(%c, %s) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
        scf.yield %n : tensor<1xf32>
      }
      return %y : tensor<1xf32> }
  })",
                               {floats({1}, {7})}, parameters);
  expectArray(results[0], {1}, {210});
}

TEST(ControlFlow, LoopMayYieldItsValuesSwapped) {
  auto results = interpretText(R"(func.func @f(%n: index, %a: f32, %b: f32) -> (f32, f32) {
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      %r:2 = scf.for %i = %0 to %n step %1 iter_args(%x = %a, %y = %b) -> (f32, f32) {
        scf.yield %y, %x : f32, f32
      }
      return %r#0, %r#1 : f32, f32 })",
                               {index(3), number(1), number(2)});
  expectArray(results[0], {}, {2});
  expectArray(results[1], {}, {1});
}

TEST(ControlFlow, IfOnTensors) {
  const char *text = R"(func.func @f(%c: i1, %x: tensor<1xf32>, %y: tensor<1xf32>) -> tensor<1xf32> {
      %r = scf.if %c -> tensor<1xf32> { scf.yield %x : tensor<1xf32> } else { scf.yield %y : tensor<1xf32> }
      return %r : tensor<1xf32> })";
  Array x = floats({1}, {1}), y = floats({1}, {2});
  expectArray(interpretText(text, {Array::scalar(Element::I1, 1), x, y})[0], {1}, {1});
  expectArray(interpretText(text, {Array::scalar(Element::I1, 0), x, y})[0], {1}, {2});
}

TEST(ControlFlow, LoopInsideOfAFormula) {
  // y[i] = i factorial
  auto results = interpretText(R"(
    func.func @f(%y: tensor<5xf32>) -> tensor<5xf32> {
      %1 = arith.constant 1 : index
      %one = arith.constant 1.0 : f32
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%y : tensor<5xf32>) {
      ^bb0(%z: f32):
        %i = linalg.index 0 : index
        %end = arith.addi %i, %1 : index
        %v = scf.for %k = %1 to %end step %1 iter_args(%p = %one) -> f32 {
          %n = arith.index_cast %k : index to i32
          %m = arith.sitofp %n : i32 to f32
          %q = arith.mulf %p, %m : f32
          scf.yield %q : f32
        }
        linalg.yield %v : f32
      } -> tensor<5xf32>
      return %r : tensor<5xf32> })",
                               {floats({5}, {0, 0, 0, 0, 0})});
  expectArray(results[0], {5}, {1, 1, 2, 6, 24});
}

TEST(ControlFlow, MissingParameterIsNamed) {
  EXPECT_THAT(errorOf(R"(module {
    model.parameter @w : tensor<1xf32> checkpoint "w.weight" init <"zeros", 0.0, 0.0>
    func.func @f() -> tensor<1xf32> {
      %w = model.get @w : tensor<1xf32>
      return %w : tensor<1xf32> } })",
                      {}),
              testing::HasSubstr("there is no value for parameter 'w.weight'"));
}

TEST(ControlFlow, ParameterOfAnotherShape) {
  EXPECT_THAT(errorOf(R"(module {
    model.parameter @w : tensor<1xf32> checkpoint "w" init <"zeros", 0.0, 0.0>
    func.func @f() -> tensor<1xf32> {
      %w = model.get @w : tensor<1xf32>
      return %w : tensor<1xf32> } })",
                      {}, {{"w", floats({2}, {1, 2})}}),
              testing::HasSubstr("the result is f32[2], expected tensor<1xf32>"));
}

} // namespace
