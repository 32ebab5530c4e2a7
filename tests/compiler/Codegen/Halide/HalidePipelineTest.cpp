// Compares kernels by Halide with the oracle: several results, scalars, moves, random draws, and scattered terms.
#include "tests/compiler/Codegen/Halide/HalideKernel.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

std::string check(const std::string &text, const std::vector<HostArray> &inputs, const std::vector<Shape> &results,
                  std::vector<int64_t> indexOperands = {}) {
  for (std::string target : {"native", "x86-64-v3"}) {
    OracleCheck oracle{text, inputs, results, indexOperands};
    oracle.emitter = [] { return createHalideEmitter(); };
    oracle.target = target;
    if (std::string difference = differenceFromOracle(oracle); !difference.empty())
      return target + ": " + difference;
  }
  return "";
}

//===------------------------------------------ several results ---------------------------------------------------===//

/// A step of an optimizer: one result is computed from another.
TEST(HalideResults, SeveralOfOneOperation) {
  std::string text = R"(func.func private @k(%x: tensor<?x20xf32>, %y: tensor<?x20xf32>) ->
      (tensor<?x20xf32>, tensor<?x20xf32>, tensor<?x20xi1>) attributes {attn.kernel = "loops"} {
    %c0 = arith.constant 0 : index %half = arith.constant 0.5 : f32
    %n = tensor.dim %x, %c0 : tensor<?x20xf32>
    %e = tensor.empty(%n) : tensor<?x20xf32> %t = tensor.empty(%n) : tensor<?x20xi1>
    %r:3 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>,
      affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<?x20xf32>, tensor<?x20xf32>)
      outs(%e, %e, %t : tensor<?x20xf32>, tensor<?x20xf32>, tensor<?x20xi1>) {
    ^bb0(%a: f32, %b: f32, %o: f32, %p: f32, %q: i1):
      %m = arith.mulf %a, %half : f32 %s = arith.addf %m, %b : f32 %u = math.exp %s : f32
      %is = arith.cmpf ogt, %a, %b : f32
      linalg.yield %s, %u, %is : f32, f32, i1 } -> (tensor<?x20xf32>, tensor<?x20xf32>, tensor<?x20xi1>)
    return %r#1, %r#0, %r#2 : tensor<?x20xf32>, tensor<?x20xf32>, tensor<?x20xi1> })";
  for (int64_t rows : {0, 1, 7, 3000})
    EXPECT_EQ(check(text, {random({rows, 20}, 1), random({rows, 20}, 2)}, {{rows, 20}, {rows, 20}, {rows, 20}}), "")
        << rows;
}

/// Returns a sum over all elements of a term of the element, or of a loop-invariant term.
std::string sums(const std::string &term) {
  return fmt::format(R"(func.func private @k(%x: tensor<?x?xf32>) -> tensor<f32> attributes {{attn.kernel = "loops"}} {{
    %zero = arith.constant 0.25 : f32
    %e = tensor.empty() : tensor<f32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %r = linalg.generic {{indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> ()>],
      iterator_types = ["reduction", "reduction"]}} ins(%x : tensor<?x?xf32>) outs(%init : tensor<f32>) {{
    ^bb0(%a: f32, %o: f32):
      {}
      %s = arith.addf %o, %t : f32 linalg.yield %s : f32 }} -> tensor<f32>
    return %r : tensor<f32> }})",
                     term);
}

TEST(HalideResults, ANumber) {
  for (const Shape &shape : {Shape{1, 1}, {0, 5}, {3, 0}, {7, 33}, {5, 1000}, {300, 64}})
    EXPECT_EQ(check(sums("%t = arith.mulf %a, %a : f32"), {random(shape, 1)}, {{}}), "")
        << shape[0] << " x " << shape[1];
}

/// Halide removes loops that their body does not depend on.
TEST(HalideResults, TermsThatAreTheSameEachTime) {
  for (const Shape &shape : {Shape{3, 5}, {0, 7}, {2, 100}}) {
    EXPECT_EQ(check(sums("%t = arith.constant 0.5 : f32"), {random(shape, 1)}, {{}}), "") << shape[1];
    EXPECT_EQ(check(sums(R"(%i = linalg.index 0 : index %j = arith.index_cast %i : index to i32
                            %t = arith.sitofp %j : i32 to f32)"),
                    {random(shape, 1)}, {{}}),
              "")
        << shape[1];
  }
}

//===------------------------------------------ moves -------------------------------------------------------------===//

/// Concatenates a slice of one operand and the transpose of another; the second result is a constant.
TEST(HalideMoves, SlicesTurnsAndJoins) {
  std::string text = R"(func.func private @k(%x: tensor<?x5x40xf32>, %y: tensor<?x7x3xf32>) ->
      (tensor<?x6x7xf32>, tensor<?x3xf32>) attributes {attn.kernel = "loops"} {
    %c0 = arith.constant 0 : index %number = arith.constant 2.5 : f32
    %n = tensor.dim %x, %c0 : tensor<?x5x40xf32>
    %part = tensor.extract_slice %x[0, 1, 2] [%n, 3, 7] [1, 1, 5] : tensor<?x5x40xf32> to tensor<?x3x7xf32>
    %empty = tensor.empty(%n) : tensor<?x3x7xf32>
    %turned = linalg.transpose ins(%y : tensor<?x7x3xf32>) outs(%empty : tensor<?x3x7xf32>) permutation = [0, 2, 1]
    %both = tensor.concat dim(1) %part, %turned : (tensor<?x3x7xf32>, tensor<?x3x7xf32>) -> tensor<?x6x7xf32>
    %e = tensor.empty(%n) : tensor<?x3xf32>
    %f = linalg.fill ins(%number : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
    return %both, %f : tensor<?x6x7xf32>, tensor<?x3xf32> })";
  for (int64_t rows : {0, 1, 50})
    EXPECT_EQ(check(text, {random({rows, 5, 40}, 1), random({rows, 7, 3}, 2)}, {{rows, 6, 7}, {rows, 3}}), "") << rows;
}

/// Draws depend on their keys, not on the lanes, and equal those of the native emitter.
TEST(HalideDraws, AreByTheirKeys) {
  std::string text = R"(func.func private @k(%seed: tensor<i32>, %step: tensor<i32>, %n: index) -> tensor<?x21xf32>
      attributes {attn.kernel = "loops"} {
    %place = arith.constant 3 : i32
    %e = tensor.empty(%n) : tensor<?x21xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<?x21xf32>) {
    ^bb0(%o: f32):
      %i = linalg.index 0 : index %j = linalg.index 1 : index
      %row = arith.index_cast %i : index to i32 %column = arith.index_cast %j : index to i32
      %s = tensor.extract %seed[] : tensor<i32> %t = tensor.extract %step[] : tensor<i32>
      %u = attn.uniform %s, %t, %place at[%row, %column] site 5 : i32 -> f32
      linalg.yield %u : f32 } -> tensor<?x21xf32>
    return %r : tensor<?x21xf32> })";
  HostArray seed = HostArray::of({}, std::vector<int32_t>{-7}), step = HostArray::of({}, std::vector<int32_t>{12});
  EXPECT_EQ(check(text, {seed, step}, {{30, 21}}, {30}), "");
}

//===------------------------------------------ terms at subscripts -----------------------------------------------===//

/// Rows of a table, some of them repeated: the gradient of a lookup.
TEST(HalideScatter, AddsColumnsInOrder) {
  for (int64_t width : {1, 3, 16, 70, 200}) {
    std::string text = fmt::format(R"(func.func private @k(%x: tensor<5x{0}xf32>, %at: tensor<?xi32>,
        %y: tensor<?x{0}xf32>) -> tensor<5x{0}xf32> attributes {{attn.kernel = "loops"}} {{
      %c0 = arith.constant 0 : index %width = arith.constant {0} : index
      %n = tensor.dim %at, %c0 : tensor<?xi32>
      %r = attn.scatter_add (%i, %j) in (%n, %width) into(%x : tensor<5x{0}xf32>) {{
        %row = tensor.extract %at[%i] : tensor<?xi32>
        %to = arith.index_cast %row : i32 to index
        %term = tensor.extract %y[%i, %j] : tensor<?x{0}xf32>
        attn.term %term at[%to, %j] : f32
      }}
      return %r : tensor<5x{0}xf32>
    }})",
                                   width);
    HostArray at = HostArray::of({9}, std::vector<int32_t>{4, 1, 4, 0, 2, 4, 1, 0, 4});
    EXPECT_EQ(check(text, {random({5, width}, 1), at, random({9, width}, 2)}, {{5, width}}), "") << width;
    HostArray none({0}, ElementKind::I32);
    EXPECT_EQ(check(text, {random({5, width}, 1), none, random({0, width}, 2)}, {{5, width}}), "") << width;
  }
}

/// A scatter into an empty table: the memory after it belongs to another tensor.
TEST(HalideScatter, WritesNothingWhereThereIsNoPlace) {
  std::string text = R"(func.func private @k(%x: tensor<?x20xf32>, %at: tensor<?xi32>, %y: tensor<?x20xf32>)
      -> tensor<?x20xf32> attributes {attn.kernel = "loops"} {
    %c0 = arith.constant 0 : index %width = arith.constant 20 : index
    %n = tensor.dim %at, %c0 : tensor<?xi32>
    %r = attn.scatter_add (%i, %j) in (%n, %width) into(%x : tensor<?x20xf32>) {
      %row = tensor.extract %at[%i] : tensor<?xi32>
      %to = arith.index_cast %row : i32 to index
      %term = tensor.extract %y[%i, %j] : tensor<?x20xf32>
      attn.term %term at[%to, %j] : f32
    }
    return %r : tensor<?x20xf32>
  })";
  HostArray none({0}, ElementKind::I32), empty = random({0, 20}, 1);
  EXPECT_EQ(check(text, {empty, none, empty}, {{0, 20}}), "");
  OracleCheck byUs{text, {empty, none, empty}, {{0, 20}}};
  EXPECT_EQ(differenceFromOracle(byUs), "");
}

/// A row out of range accumulates at the border; the forward pass has already reported it.
TEST(HalideScatter, StaysInside) {
  std::string text = R"(func.func private @k(%x: tensor<?x4x?xf32>, %at: tensor<?x6xi32>, %y: tensor<?x6x?xf32>) ->
      tensor<?x4x?xf32> attributes {attn.kernel = "loops"} {
    %c0 = arith.constant 0 : index %c2 = arith.constant 2 : index %c6 = arith.constant 6 : index
    %n = tensor.dim %x, %c0 : tensor<?x4x?xf32> %m = tensor.dim %x, %c2 : tensor<?x4x?xf32>
    %r = attn.scatter_add (%b, %i, %j) in (%n, %c6, %m) into(%x : tensor<?x4x?xf32>) {
      %row = tensor.extract %at[%b, %i] : tensor<?x6xi32>
      %to = arith.index_cast %row : i32 to index
      %term = tensor.extract %y[%b, %i, %j] : tensor<?x6x?xf32>
      attn.term %term at[%b, %to, %j] : f32
    }
    return %r : tensor<?x4x?xf32>
  })";
  for (int64_t width : {1, 5, 16, 100}) {
    HostArray at({3, 6}, ElementKind::I32);
    for (int64_t each = 0; each < at.size(); ++each)
      at.i32()[each] = each * 7 % 4;
    Shape shape{3, 4, width};
    EXPECT_EQ(check(text, {random(shape, 1), at, random({3, 6, width}, 2)}, {shape}), "") << width;
    KernelRunner runner(text, *createHalideEmitter());
    ASSERT_TRUE(runner) << runner.message();
    at.i32()[2] = 1000000000;
    at.i32()[8] = -7;
    runner.run({random(shape, 1), at, random({3, 6, width}, 2)}, {shape});
    EXPECT_EQ(runner.status(), ATTN_OK);
  }
}

/// No loop indexes the result, so that there is one chunk.
TEST(HalideScatter, AtAnyPlace) {
  std::string text = R"(func.func private @k(%x: tensor<30xf32>, %at: tensor<50xi32>, %y: tensor<50xf32>) ->
      tensor<30xf32> attributes {attn.kernel = "loops"} {
    %c50 = arith.constant 50 : index
    %r = attn.scatter_add (%i) in (%c50) into(%x : tensor<30xf32>) {
      %row = tensor.extract %at[%i] : tensor<50xi32>
      %to = arith.index_cast %row : i32 to index
      %term = tensor.extract %y[%i] : tensor<50xf32>
      attn.term %term at[%to] : f32
    }
    return %r : tensor<30xf32>
  })";
  HostArray at({50}, ElementKind::I32);
  for (int64_t each = 0; each < 50; ++each)
    at.i32()[each] = each * 7 % 11;
  EXPECT_EQ(check(text, {random({30}, 1), at, random({50}, 2)}, {{30}}), "");
}

/// Halide 14 treats i / 2 * 2 == i as a condition on the index of a vector.
TEST(HalideConditions, EvenAndOddPlaces) {
  for (std::string predicate : {"eq", "ne"})
    for (std::string first : {"%i", "%before"}) {
      std::string text = fmt::format(R"(func.func private @k(%x: tensor<?x64xf32>) -> tensor<?x64xf32>
          attributes {{attn.kernel = "loops"}} {{
        %c0 = arith.constant 0 : index %c2 = arith.constant 2 : index %back = arith.constant -1 : index
        %zero = arith.constant 0.0 : f32
        %n = tensor.dim %x, %c0 : tensor<?x64xf32>
        %e = tensor.empty(%n) : tensor<?x64xf32>
        %r = linalg.generic {{indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
            iterator_types = ["parallel", "parallel"]}} ins(%x : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) {{
        ^bb0(%in: f32, %out: f32):
          %i = linalg.index 1 : index
          %before = arith.addi %i, %back : index
          %half = arith.floordivsi {1}, %c2 : index
          %twice = arith.muli %half, %c2 : index
          %holds = arith.cmpi {0}, %twice, {1} : index
          %y = arith.select %holds, %in, %zero : f32
          linalg.yield %y : f32
        }} -> tensor<?x64xf32>
        return %r : tensor<?x64xf32>
      }})",
                                     predicate, first);
      EXPECT_EQ(check(text, {random({3, 64}, 1)}, {{3, 64}}), "") << predicate << " " << first;
    }
}

/// The gradient of an affine grid with respect to its map: the column is a constant of the program.
TEST(HalideScatter, AtAKnownPlace) {
  std::string text = R"(func.func private @k(%x: tensor<?x2x3xf32>, %y: tensor<24xf32>, %g: tensor<?x24x24x2xf32>) ->
      tensor<?x2x3xf32> attributes {attn.kernel = "loops"} {
    %c0 = arith.constant 0 : index %c2 = arith.constant 2 : index %c24 = arith.constant 24 : index
    %n = tensor.dim %x, %c0 : tensor<?x2x3xf32>
    %r = attn.scatter_add (%b, %i, %j, %a) in (%n, %c24, %c24, %c2) into(%x : tensor<?x2x3xf32>) {
      %u = tensor.extract %y[%j] : tensor<24xf32>
      %v = tensor.extract %g[%b, %i, %j, %a] : tensor<?x24x24x2xf32>
      %term = arith.mulf %v, %u : f32
      attn.term %term at[%b, %a, %c0] : f32
    }
    return %r : tensor<?x2x3xf32>
  })";
  for (int64_t images : {0, 1, 7})
    EXPECT_EQ(
        check(text, {random({images, 2, 3}, 1), random({24}, 2), random({images, 24, 24, 2}, 3)}, {{images, 2, 3}}), "")
        << images;
}

} // namespace
} // namespace attnc
