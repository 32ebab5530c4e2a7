#include "tests/compiler/Reference/Interpret.h"

using namespace attnc::reference;

namespace {

TEST(LinalgOps, ContractionStartsFromItsOutArgument) {
  auto results = interpretText(R"(
    #a = affine_map<(m, n, k) -> (m, k)>
    #b = affine_map<(m, n, k) -> (k, n)>
    #c = affine_map<(m, n, k) -> (m, n)>
    func.func @f(%a: tensor<?x2xf32>, %b: tensor<2x2xf32>, %c: tensor<?x2xf32>) -> tensor<?x2xf32> {
      %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<?x2xf32>, tensor<2x2xf32>) outs(%c : tensor<?x2xf32>) {
      ^bb0(%x: f32, %y: f32, %z: f32):
        %m = arith.mulf %x, %y : f32
        %s = arith.addf %z, %m : f32
        linalg.yield %s : f32
      } -> tensor<?x2xf32>
      return %r : tensor<?x2xf32> })",
                               {floats({1, 2}, {1, 2}), floats({2, 2}, {3, 4, 5, 6}), floats({1, 2}, {100, 200})});
  expectArray(results[0], {1, 2}, {113, 216});
}

TEST(LinalgOps, IndexAndGather) {
  // y[i, j] = table[ids[i], j] + 10 i
  auto results =
      interpretText(R"(
    #row = affine_map<(i, j) -> (i)>
    #id = affine_map<(i, j) -> (i, j)>
    func.func @f(%ids: tensor<?xi32>, %table: tensor<3x2xf32>, %out: tensor<?x2xf32>) -> tensor<?x2xf32> {
      %ten = arith.constant 10.0 : f32
      %r = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%ids : tensor<?xi32>) outs(%out : tensor<?x2xf32>) {
      ^bb0(%t: i32, %z: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %k = arith.index_cast %t : i32 to index
        %e = tensor.extract %table[%k, %j] : tensor<3x2xf32>
        %n = arith.index_cast %i : index to i32
        %x = arith.sitofp %n : i32 to f32
        %m = arith.mulf %x, %ten : f32
        %s = arith.addf %e, %m : f32
        linalg.yield %s : f32
      } -> tensor<?x2xf32>
      return %r : tensor<?x2xf32> })",
                    {integers({2}, {2, 0}), floats({3, 2}, {1, 2, 3, 4, 5, 6}), floats({2, 2}, {0, 0, 0, 0})});
  expectArray(results[0], {2, 2}, {5, 6, 11, 12});
}

const char *gather = R"(
    #id = affine_map<(i) -> (i)>
    func.func @f(%ids: tensor<?xi32>, %table: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%ids : tensor<?xi32>) outs(%out : tensor<?xf32>) {
      ^bb0(%t: i32, %z: f32):
        %k = arith.index_cast %t : i32 to index
        %e = tensor.extract %table[%k] : tensor<?xf32>
        linalg.yield %e : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32> })";

TEST(LinalgOps, GatherOutOfRangeIsAnError) {
  EXPECT_THAT(errorOf(gather, {integers({1}, {3}), floats({3}, {1, 2, 3}), floats({1}, {0})}),
              testing::HasSubstr("subscript 3 is outside of a dimension of size 3"));
  EXPECT_THAT(errorOf(gather, {integers({1}, {-1}), floats({3}, {1, 2, 3}), floats({1}, {0})}),
              testing::HasSubstr("subscript -1 is outside of a dimension of size 3"));
}

TEST(LinalgOps, OperandsThatDisagreeAreAnError) {
  EXPECT_THAT(errorOf(gather, {integers({1}, {0}), floats({3}, {1, 2, 3}), floats({2}, {0, 0})}),
              testing::HasSubstr("operands disagree on the size of loop 0: 1 and 2"));
}

TEST(LinalgOps, NoIterationLeavesTheOutArgument) {
  expectArray(interpretText(gather, {integers({0}, {}), floats({3}, {1, 2, 3}), floats({0}, {})})[0], {0}, {});
}

TEST(LinalgOps, SubscriptsMayBeAnyAffineExpression) {
  // A convolution: y[i] = sum k. x[2 i + k] w[k]
  auto results = interpretText(R"(
    func.func @f(%x: tensor<5xf32>, %w: tensor<3xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
      %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i * 2 + k)>, affine_map<(i, k) -> (k)>,
                                            affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x, %w : tensor<5xf32>, tensor<3xf32>) outs(%y : tensor<2xf32>) {
      ^bb0(%a: f32, %b: f32, %z: f32):
        %m = arith.mulf %a, %b : f32
        %s = arith.addf %z, %m : f32
        linalg.yield %s : f32
      } -> tensor<2xf32>
      return %r : tensor<2xf32> })",
                               {floats({5}, {1, 2, 3, 4, 5}), floats({3}, {1, 10, 100}), floats({2}, {0, 0})});
  expectArray(results[0], {2}, {321, 543});
}

TEST(LinalgOps, SeveralResults) {
  // The largest element and its position.
  auto results = interpretText(R"(
    #id = affine_map<(i) -> (i)>
    #none = affine_map<(i) -> ()>
    func.func @f(%x: tensor<?xf32>, %m: tensor<f32>, %p: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
      %r:2 = linalg.generic {indexing_maps = [#id, #none, #none], iterator_types = ["reduction"]}
        ins(%x : tensor<?xf32>) outs(%m, %p : tensor<f32>, tensor<i32>) {
      ^bb0(%a: f32, %best: f32, %place: i32):
        %i = linalg.index 0 : index
        %j = arith.index_cast %i : index to i32
        %c = arith.cmpf ogt, %a, %best : f32
        %s = arith.select %c, %a, %best : f32
        %t = arith.select %c, %j, %place : i32
        linalg.yield %s, %t : f32, i32
      } -> (tensor<f32>, tensor<i32>)
      return %r#0, %r#1 : tensor<f32>, tensor<i32> })",
                               {floats({4}, {1, 7, 7, 3}), floats({}, {-infinity}), integers({}, {0})});
  expectArray(results[0], {}, {7});
  expectArray(results[1], {}, {1});
}

TEST(LinalgOps, NamedOps) {
  auto results = interpretText(R"(
    func.func @f(%x: tensor<2x3xf32>, %v: f32) -> (tensor<3x2xf32>, tensor<2x2xf32>) {
      %e = tensor.empty() : tensor<3x2xf32>
      %t = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
      %o = tensor.empty() : tensor<2x2xf32>
      %z = linalg.fill ins(%v : f32) outs(%o : tensor<2x2xf32>) -> tensor<2x2xf32>
      %m = linalg.matmul ins(%x, %t : tensor<2x3xf32>, tensor<3x2xf32>) outs(%z : tensor<2x2xf32>) -> tensor<2x2xf32>
      return %t, %m : tensor<3x2xf32>, tensor<2x2xf32> })",
                               {floats({2, 3}, {1, 2, 3, 4, 5, 6}), number(1)});
  expectArray(results[0], {3, 2}, {1, 4, 2, 5, 3, 6});
  expectArray(results[1], {2, 2}, {15, 33, 33, 78});
}

TEST(LinalgOps, GuardedSubscript) {
  // y[i] = if i >= 1 then x[i - 1] else -1: the branch not taken reads nothing.
  auto results = interpretText(R"(
    func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %one = arith.constant 1 : index
      %none = arith.constant -1.0 : f32
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%y : tensor<?xf32>) {
      ^bb0(%z: f32):
        %i = linalg.index 0 : index
        %c = arith.cmpi sge, %i, %one : index
        %v = scf.if %c -> f32 {
          %j = arith.subi %i, %one : index
          %e = tensor.extract %x[%j] : tensor<?xf32>
          scf.yield %e : f32
        } else {
          scf.yield %none : f32
        }
        linalg.yield %v : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32> })",
                               {floats({3}, {5, 6, 7}), floats({3}, {0, 0, 0})});
  expectArray(results[0], {3}, {-1, 5, 6});
}

} // namespace
