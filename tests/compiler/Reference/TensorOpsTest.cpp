#include "tests/compiler/Reference/Interpret.h"

using namespace attnc::reference;

namespace {

const Array sixNumbers = floats({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(TensorOps, DimAndExtract) {
  auto results = interpretText(R"(func.func @f(%x: tensor<?x3xf32>) -> (index, f32) {
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      %2 = arith.constant 2 : index
      %d = tensor.dim %x, %0 : tensor<?x3xf32>
      %e = tensor.extract %x[%1, %2] : tensor<?x3xf32>
      return %d, %e : index, f32 })",
                               {sixNumbers});
  expectArray(results[0], {}, {2});
  expectArray(results[1], {}, {6});
}

TEST(TensorOps, ReshapesKeepTheOrderOfElements) {
  auto results = interpretText(R"(func.func @f(%x: tensor<?x3xf32>, %n: index) -> (tensor<?xf32>, tensor<?x1x3xf32>) {
      %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
      %e = tensor.expand_shape %x [[0, 1], [2]] output_shape [%n, 1, 3] : tensor<?x3xf32> into tensor<?x1x3xf32>
      return %c, %e : tensor<?xf32>, tensor<?x1x3xf32> })",
                               {sixNumbers, index(2)});
  expectArray(results[0], {6}, sixNumbers.values);
  expectArray(results[1], {2, 1, 3}, sixNumbers.values);
}

TEST(TensorOps, SlicesWithStrideAndDroppedDimension) {
  auto results = interpretText(R"(func.func @f(%x: tensor<2x3xf32>, %i: index) -> (tensor<2xf32>, tensor<2x3xf32>) {
      %s = tensor.extract_slice %x[%i, 0] [1, 2] [1, 2] : tensor<2x3xf32> to tensor<2xf32>
      %t = tensor.insert_slice %s into %x[0, 1] [1, 2] [1, 1] : tensor<2xf32> into tensor<2x3xf32>
      return %s, %t : tensor<2xf32>, tensor<2x3xf32> })",
                               {sixNumbers, index(1)});
  expectArray(results[0], {2}, {4, 6});
  expectArray(results[1], {2, 3}, {1, 4, 6, 4, 5, 6});
}

TEST(TensorOps, ConcatAlongTheLastDimension) {
  auto results = interpretText(R"(func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x?xf32>) -> tensor<2x?xf32> {
      %c = tensor.concat dim(1) %x, %y : (tensor<2x3xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
      return %c : tensor<2x?xf32> })",
                               {sixNumbers, floats({2, 1}, {7, 8})});
  expectArray(results[0], {2, 4}, {1, 2, 3, 7, 4, 5, 6, 8});
}

TEST(TensorOps, PadInsertAndCast) {
  auto results = interpretText(R"(func.func @f(%x: tensor<?xi32>, %i: index) -> tensor<4xi32> {
      %zero = arith.constant -1 : i32
      %p = tensor.pad %x low[1] high[1] { ^bb0(%k: index): tensor.yield %zero : i32 } : tensor<?xi32> to tensor<?xi32>
      %n = tensor.insert %zero into %p[%i] : tensor<?xi32>
      %c = tensor.cast %n : tensor<?xi32> to tensor<4xi32>
      return %c : tensor<4xi32> })",
                               {integers({2}, {5, 6}), index(2)});
  expectArray(results[0], {4}, {-1, 5, -1, -1});
}

TEST(TensorOps, BuiltFromScalars) {
  auto results = interpretText(R"(func.func @f(%a: f32, %n: index)
        -> (tensor<2xf32>, tensor<?xf32>, tensor<?xindex>, tensor<3xi32>) {
      %e = tensor.from_elements %a, %a : tensor<2xf32>
      %s = tensor.splat %a[%n] : tensor<?xf32>
      %g = tensor.generate %n {
      ^bb0(%i: index):
        %j = arith.muli %i, %n : index
        tensor.yield %j : index
      } : tensor<?xindex>
      %c = arith.constant dense<[1, -2, 3]> : tensor<3xi32>
      return %e, %s, %g, %c : tensor<2xf32>, tensor<?xf32>, tensor<?xindex>, tensor<3xi32> })",
                               {number(1.5), index(3)});
  expectArray(results[0], {2}, {1.5, 1.5});
  expectArray(results[1], {3}, {1.5, 1.5, 1.5});
  expectArray(results[2], {3}, {0, 3, 6});
  expectArray(results[3], {3}, {1, -2, 3});
}

TEST(TensorOps, WhatWasNeverWrittenIsNotANumber) {
  auto results = interpretText("func.func @f() -> tensor<1xf32> { %e = tensor.empty() : tensor<1xf32> "
                               "return %e : tensor<1xf32> }",
                               {});
  expectArray(results[0], {1}, {notANumber});
}

/// A tensor's type determines the rounding of its elements, as storing does; other tensors are not rounded.
TEST(TensorOps, RoundsWhatIsStoredInSixteenBits) {
  auto results =
      interpretText(R"(
    module {
      model.parameter @w : tensor<2xf32> checkpoint "w" init <"zeros", 0.0, 0.0>
      func.func @f(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2xf32>) {
        %b = arith.truncf %x : tensor<3xf32> to tensor<3xbf16>
        %h = arith.truncf %x : tensor<3xf32> to tensor<3xf16>
        %w = model.get @w : tensor<2xbf16>
        %0 = arith.extf %b : tensor<3xbf16> to tensor<3xf32>
        %1 = arith.extf %h : tensor<3xf16> to tensor<3xf32>
        %2 = arith.extf %w : tensor<2xbf16> to tensor<2xf32>
        return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<2xf32> } })",
                    {floats({3}, {1 + 0x1p-8 + 0x1p-20, 1 + 0x1p-8, 65520})}, {{"w", floats({2}, {257, 3})}});
  expectArray(results[0], {3}, {1 + 0x1p-7, 1, 65536});
  expectArray(results[1], {3}, {1 + 0x1p-8, 1 + 0x1p-8, infinity});
  expectArray(results[2], {2}, {256, 3});
}

TEST(TensorErrors, SubscriptOutOfRange) {
  std::string text = R"(func.func @f(%x: tensor<?xf32>, %i: index) -> f32 {
      %e = tensor.extract %x[%i] : tensor<?xf32>
      return %e : f32 })";
  EXPECT_THAT(errorOf(text, {floats({2}, {1, 2}), index(2)}), testing::HasSubstr("a subscript is outside of f32[2]"));
  EXPECT_THAT(errorOf(text, {floats({2}, {1, 2}), index(-1)}), testing::HasSubstr("a subscript is outside of f32[2]"));
}

TEST(TensorErrors, SliceLeavesTheTensor) {
  EXPECT_THAT(errorOf(R"(func.func @f(%x: tensor<?xf32>) -> tensor<3xf32> {
      %e = tensor.extract_slice %x[0] [3] [1] : tensor<?xf32> to tensor<3xf32>
      return %e : tensor<3xf32> })",
                      {floats({2}, {1, 2})}),
              testing::HasSubstr("the slice is not inside of f32[2]"));
}

TEST(TensorErrors, InputOfAnotherShape) {
  EXPECT_THAT(errorOf("func.func @f(%x: tensor<?x3xf32>) -> tensor<?x3xf32> { return %x : tensor<?x3xf32> }",
                      {floats({1, 2}, {1, 2})}),
              testing::HasSubstr("input 0 is f32[1, 2], expected tensor<?x3xf32>"));
}

} // namespace
