// Compares loops kernels with the oracle, on processors and on a device, for each way to traverse an iteration space.
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "tests/support/OracleCheck.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

using Shape = std::vector<int64_t>;

struct Generic {
  std::string maps;      ///< "affine_map<...>, ..."
  std::string iterators; ///< "p, r"
  std::string arguments; ///< "%x: tensor<...>, ..." of the kernel
  std::string inputs;    ///< "ins(...)" or ""
  std::string result;    ///< type
  std::string init;      ///< ops that define %init
  std::string region;    ///< "^bb0(...): ..."
};

std::string kernelOf(const Generic &generic) {
  std::string iterators;
  for (char each : generic.iterators)
    iterators += fmt::format("{}\"{}\"", iterators.empty() ? "" : ", ", each == 'p' ? "parallel" : "reduction");
  return fmt::format(R"(func.func private @k({}) -> {} attributes {{attn.kernel = "loops"}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %zero = arith.constant 0.0 : f32
      {}
      %r = linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}} {} outs(%init : {}) {{
      {}
      }} -> {}
      return %r : {}
    }})",
                     generic.arguments, generic.result, generic.init, generic.maps, iterators, generic.inputs,
                     generic.result, generic.region, generic.result, generic.result);
}

std::string check(const Generic &generic, std::vector<HostArray> inputs, Shape result,
                  std::vector<int64_t> indices = {}) {
  for (std::string target : {"native", "x86-64-v3", "cuda"}) {
    OracleCheck oracle{kernelOf(generic), inputs, {result}, indices};
    oracle.target = target;
    if (std::string difference = differenceFromOracle(oracle); !difference.empty())
      return target + ": " + difference;
  }
  return "";
}

//===------------------------------------------ pointwise ---------------------------------------------------------===//

Generic gelu() {
  return {"affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (c)>, affine_map<(a, b, c) -> (a, b, c)>",
          "ppp",
          "%x: tensor<?x?x?xf32>, %bias: tensor<?xf32>",
          "ins(%x, %bias : tensor<?x?x?xf32>, tensor<?xf32>)",
          "tensor<?x?x?xf32>",
          R"(%m = tensor.dim %x, %c0 : tensor<?x?x?xf32>
             %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
             %p = tensor.dim %x, %c2 : tensor<?x?x?xf32>
             %init = tensor.empty(%m, %n, %p) : tensor<?x?x?xf32>)",
          R"(^bb0(%a: f32, %b: f32, %o: f32):
             %s = arith.addf %a, %b : f32
             %t = math.tanh %s : f32
             %y = arith.mulf %t, %s : f32
             linalg.yield %y : f32)"};
}

TEST(Loops, PointwiseWithBroadcast) {
  for (Shape shape : {Shape{2, 3, 40}, {1, 1, 1}, {5, 7, 16}, {3, 100, 129}, {70, 9, 5}})
    EXPECT_EQ(check(gelu(), {HostArray::random(shape, 1, -3, 3), HostArray::random({shape[2]}, 2)}, shape), "")
        << shape[2];
}

/// A static last dimension, which bounds the width of vectors.
TEST(Loops, PointwiseOfFewKnownColumns) {
  for (int64_t columns : {1, 2, 3, 5, 8, 12, 20, 40}) {
    Generic generic = gelu();
    for (std::string *text : {&generic.arguments, &generic.inputs, &generic.result, &generic.init})
      for (auto [from, to] : {std::pair(std::string("?x?x?xf32"), fmt::format("?x?x{}xf32", columns)),
                              std::pair(std::string("tensor<?xf32>"), fmt::format("tensor<{}xf32>", columns)),
                              std::pair(std::string("(%m, %n, %p)"), std::string("(%m, %n)"))})
        for (size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size())
          text->replace(at, from.size(), to);
    for (Shape shape : {Shape{2, 3, columns}, {1, 1, columns}, {0, 4, columns}, {4, 0, columns}, {37, 300, columns}})
      EXPECT_EQ(check(generic, {HostArray::random(shape, 1, -3, 3), HostArray::random({columns}, 2)}, shape), "")
          << columns;
  }
}

/// The maximum of windows of 2 x 2, which is NaN if an element is; the window's loops are unrolled.
TEST(Loops, LargestOfSmallWindows) {
  Generic pool{"affine_map<(b, i, j, c, u, v) -> (u, v)>, affine_map<(b, i, j, c, u, v) -> (b, i, j, c)>",
               "pppprr",
               "%x: tensor<?x10x6x16xf32>",
               "ins(%window : tensor<2x2xf32>)",
               "tensor<?x5x3x16xf32>",
               R"(%m = tensor.dim %x, %c0 : tensor<?x10x6x16xf32>
             %window = tensor.empty() : tensor<2x2xf32>
             %low = arith.constant 0xFF800000 : f32
             %e = tensor.empty(%m) : tensor<?x5x3x16xf32>
             %init = linalg.fill ins(%low : f32) outs(%e : tensor<?x5x3x16xf32>) -> tensor<?x5x3x16xf32>)",
               R"(^bb0(%w: f32, %o: f32):
             %b = linalg.index 0 : index
             %i = linalg.index 1 : index
             %j = linalg.index 2 : index
             %c = linalg.index 3 : index
             %u = linalg.index 4 : index
             %v = linalg.index 5 : index
             %i2 = arith.muli %i, %c2 : index
             %j2 = arith.muli %j, %c2 : index
             %row = arith.addi %i2, %u : index
             %column = arith.addi %j2, %v : index
             %a = tensor.extract %x[%b, %row, %column, %c] : tensor<?x10x6x16xf32>
             %y = arith.maximumf %o, %a : f32
             linalg.yield %y : f32)"};
  for (int64_t batch : {0, 1, 3}) {
    HostArray x = HostArray::random({batch, 10, 6, 16}, 1, -3, 3);
    for (int64_t at = 7; at < x.size(); at += 101)
      x.f32()[at] = NAN;
    EXPECT_EQ(check(pool, {x}, {batch, 5, 3, 16}), "") << batch;
  }
}

/// x[i] * (if i / 2 < m then t[i / 2] else 0): neither vectors nor the remainder read an empty t.
TEST(Loops, ReadsNothingOfATensorWithoutElements) {
  Generic halves{"affine_map<(i) -> (i)>, affine_map<(i) -> (i)>",
                 "p",
                 "%x: tensor<?xf32>, %t: tensor<?xf32>",
                 "ins(%x : tensor<?xf32>)",
                 "tensor<?xf32>",
                 R"(%n = tensor.dim %x, %c0 : tensor<?xf32>
             %m = tensor.dim %t, %c0 : tensor<?xf32>
             %last = arith.subi %m, %c1 : index
             %init = tensor.empty(%n) : tensor<?xf32>)",
                 R"(^bb0(%a: f32, %o: f32):
             %i = linalg.index 0 : index
             %half = arith.floordivsi %i, %c2 : index
             %is = arith.cmpi slt, %half, %m : index
             %at = arith.minsi %half, %last : index
             %e = tensor.extract %t[%at] : tensor<?xf32>
             %b = arith.select %is, %e, %zero : f32
             %y = arith.mulf %a, %b : f32
             linalg.yield %y : f32)"};
  for (int64_t m : {0, 1, 9})
    EXPECT_EQ(check(halves, {HostArray::random({37}, 1), HostArray::random({m}, 2)}, {37}), "") << m;
}

/// y[i, j] = x[j, i] + t[i] in transposed tiles: t is not read beyond the last row of a tile.
TEST(Loops, ReadsNothingBehindTheLastRowOfATurnedTile) {
  Generic turned{"affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>",
                 "pp",
                 "%x: tensor<?x?xf32>, %t: tensor<?xf32>",
                 "ins(%x, %t : tensor<?x?xf32>, tensor<?xf32>)",
                 "tensor<?x?xf32>",
                 R"(%n = tensor.dim %t, %c0 : tensor<?xf32>
             %m = tensor.dim %x, %c0 : tensor<?x?xf32>
             %init = tensor.empty(%n, %m) : tensor<?x?xf32>)",
                 R"(^bb0(%a: f32, %b: f32, %o: f32):
             %y = arith.addf %a, %b : f32
             linalg.yield %y : f32)"};
  for (auto [n, m] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {6, 6}, {17, 5}, {5, 17}, {33, 40}})
    EXPECT_EQ(check(turned, {HostArray::random({m, n}, 1), HostArray::random({n}, 2)}, {n, m}), "") << n << " " << m;
}

TEST(Loops, PointwiseOfManyChunks) {
  Shape shape{4, 60, 1000};
  EXPECT_EQ(check(gelu(), {HostArray::random(shape, 1, -3, 3), HostArray::random({shape[2]}, 2)}, shape), "");
}

TEST(Loops, EmptyTensor) {
  EXPECT_EQ(check(gelu(), {HostArray::random({2, 0, 8}, 1), HostArray::random({8}, 2)}, {2, 0, 8}), "");
}

Generic sum4d(const std::string &type) {
  return {"affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) "
          "-> (a, b, c, d)>",
          "pppp",
          fmt::format("%x: {0}, %y: {0}", type),
          fmt::format("ins(%x, %y : {0}, {0})", type),
          type,
          fmt::format("%init = tensor.empty() : {}", type),
          "^bb0(%a: f32, %b: f32, %o: f32): %s = arith.subf %a, %b : f32 linalg.yield %s : f32"};
}

TEST(Loops, StaticPointwiseIsOneLoop) {
  std::string text = kernelOf(sum4d("tensor<3x4x5x70xf32>"));
  EXPECT_EQ(check(sum4d("tensor<3x4x5x70xf32>"),
                  {HostArray::random({3, 4, 5, 70}, 1), HostArray::random({3, 4, 5, 70}, 2)}, {3, 4, 5, 70}),
            "");
  KernelRunner runner(text, *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  EXPECT_EQ(runner.code().phases[0].chunks, SizeExpr(1));
  EXPECT_EQ(runner.code().cost.flops, SizeExpr(3 * 4 * 5 * 70));
  EXPECT_EQ(runner.code().cost.bytesRead, SizeExpr(2 * 4 * 3 * 4 * 5 * 70));
}

TEST(Loops, ScheduleSetsTheChunk) {
  std::string text = kernelOf(sum4d("tensor<3x4x5x70xf32>"));
  text.replace(text.find("attn.kernel"), 0, "attn.schedule = {chunk = 1000}, ");
  KernelRunner runner(text, *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  EXPECT_EQ(runner.code().phases[0].chunks, SizeExpr(5)); // chunks of 1024 of 4200 points: multiples of 8 vectors
  HostArray x = HostArray::random({3, 4, 5, 70}, 1), y = HostArray::random({3, 4, 5, 70}, 2);
  HostArray found = runner.run({x, y}, {x.shape}, {.reversed = true})[0];
  for (int64_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(found.f32()[i], x.f32()[i] - y.f32()[i]);
}

TEST(Loops, InPlace) {
  std::string text = kernelOf(sum4d("tensor<3x4x5x70xf32>"));
  text.replace(text.find("%x: tensor<3x4x5x70xf32>"), 24, "%x: tensor<3x4x5x70xf32> {attn.in_place = 0}");
  KernelRunner runner(text, *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  HostArray x = HostArray::random({3, 4, 5, 70}, 1), y = HostArray::random({3, 4, 5, 70}, 2);
  HostArray found = runner.run({x, y}, {x.shape}, {.inPlaceOperand = 0})[0];
  for (int64_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(found.f32()[i], x.f32()[i] - y.f32()[i]);
}

TEST(Loops, TransposedOperand) {
  Generic add{"affine_map<(a, b) -> (b, a)>, affine_map<(a, b) -> (a, b)>",
              "pp",
              "%x: tensor<?x?xf32>",
              "ins(%x : tensor<?x?xf32>)",
              "tensor<?x?xf32>",
              R"(%m = tensor.dim %x, %c1 : tensor<?x?xf32>
                 %n = tensor.dim %x, %c0 : tensor<?x?xf32>
                 %init = tensor.empty(%m, %n) : tensor<?x?xf32>)",
              "^bb0(%a: f32, %o: f32): %s = arith.addf %a, %a : f32 linalg.yield %s : f32"};
  EXPECT_EQ(check(add, {HostArray::random({33, 50}, 1)}, {50, 33}), "");
}

TEST(Loops, IndicesTruthsAndIntegers) {
  Generic causal{"affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>",
                 "pp",
                 "%x: tensor<?xi32>, %n: index",
                 "ins(%x : tensor<?xi32>)",
                 "tensor<?x?xi1>",
                 R"(%m = tensor.dim %x, %c0 : tensor<?xi32>
                    %init = tensor.empty(%m, %n) : tensor<?x?xi1>)",
                 R"(^bb0(%a: i32, %o: i1):
                    %i = linalg.index 0 : index
                    %j = linalg.index 1 : index
                    %c = arith.cmpi sle, %j, %i : index
                    %k = arith.index_cast %j : index to i32
                    %d = arith.cmpi slt, %k, %a : i32
                    %e = arith.andi %c, %d : i1
                    linalg.yield %e : i1)"};
  HostArray lengths({30}, ElementKind::I32);
  for (int i = 0; i < 30; ++i)
    lengths.i32()[i] = (i * 7) % 25;
  EXPECT_EQ(check(causal, {lengths}, {30, 37}, {37}), "");
}

/// Checks op(i, b) for the indices i and j of a result, where `right` defines %b.
std::string checkIndexOp(const std::string &op, const std::string &right) {
  std::string region = fmt::format(R"(^bb0(%a: f32, %o: f32):
                  %nine = arith.constant 9 : index
                  %i = linalg.index 0 : index
                  %j = linalg.index 1 : index
                  {}
                  %y = arith.{} %i, %b : index
                  %k = arith.index_cast %y : index to i32
                  %f = arith.sitofp %k : i32 to f32
                  %e = arith.addf %f, %a : f32
                  linalg.yield %e : f32)",
                                   right, op);
  Generic generic{"affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>",
                  "pp",
                  "%x: tensor<?xf32>, %n: index",
                  "ins(%x : tensor<?xf32>)",
                  "tensor<?x?xf32>",
                  R"(%m = tensor.dim %x, %c0 : tensor<?xf32>
                     %init = tensor.empty(%m, %n) : tensor<?x?xf32>)",
                  region};
  return check(generic, {HostArray::random({30}, 1)}, {30, 37}, {37});
}

TEST(Loops, ArithmeticOfIndices) {
  for (const char *op :
       {"addi", "subi", "muli", "andi", "ori", "xori", "shli", "shrsi", "shrui", "maxsi", "minsi", "maxui", "minui"})
    EXPECT_EQ(checkIndexOp(op, "%b = arith.remui %j, %nine : index"), "") << op;
}

TEST(Loops, DivisionsOfIndices) {
  for (const char *op : {"divsi", "remsi", "floordivsi", "ceildivsi", "divui", "remui", "ceildivui"})
    EXPECT_EQ(checkIndexOp(op, "%b = arith.addi %j, %c1 : index"), "") << op;
}

TEST(Loops, EmbeddingGather) {
  Generic embed{"affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>",
                "ppp",
                "%ids: tensor<?x?xi32>, %table: tensor<50x24xf32>, %positions: tensor<64x24xf32>",
                "ins(%ids : tensor<?x?xi32>)",
                "tensor<?x?x24xf32>",
                R"(%m = tensor.dim %ids, %c0 : tensor<?x?xi32>
                   %n = tensor.dim %ids, %c1 : tensor<?x?xi32>
                   %init = tensor.empty(%m, %n) : tensor<?x?x24xf32>)",
                R"(^bb0(%id: i32, %o: f32):
                   %t = linalg.index 1 : index
                   %d = linalg.index 2 : index
                   %i = arith.index_cast %id : i32 to index
                   %x = tensor.extract %table[%i, %d] : tensor<50x24xf32>
                   %p = tensor.extract %positions[%t, %d] : tensor<64x24xf32>
                   %s = arith.addf %x, %p : f32
                   linalg.yield %s : f32)"};
  HostArray ids({3, 11}, ElementKind::I32);
  for (int i = 0; i < 33; ++i)
    ids.i32()[i] = (i * 13) % 50;
  std::vector<HostArray> inputs{ids, HostArray::random({50, 24}, 1), HostArray::random({64, 24}, 2)};
  EXPECT_EQ(check(embed, inputs, {3, 11, 24}), "");
  inputs[0].i32()[20] = 50;
  EXPECT_EQ(check(embed, inputs, {3, 11, 24}).substr(0, 6), "native") << "the oracle and the kernel both report it";
  KernelRunner runner(kernelOf(embed), *createCpuEmitter());
  runner.run(inputs, {{3, 11, 24}});
  EXPECT_EQ(runner.status(), 5);
}

//===------------------------------------------ reductions --------------------------------------------------------===//

Generic reduction(const std::string &map, const std::string &iterators, const std::string &input,
                  const std::string &result, const std::string &combiner = "arith.addf",
                  const std::string &identity = "0.0") {
  return {fmt::format("{}, {}", map.substr(0, map.find(';')), map.substr(map.find(';') + 1)),
          iterators,
          "%x: " + input,
          fmt::format("ins(%x : {})", input),
          result,
          fmt::format("%e = tensor.empty() : {0}\n %id = arith.constant {1} : f32\n %init = linalg.fill ins(%id : f32) "
                      "outs(%e : {0}) -> {0}",
                      result, identity),
          fmt::format("^bb0(%a: f32, %o: f32): %s = {} %o, %a : f32 linalg.yield %s : f32", combiner)};
}

TEST(Loops, SumOverColumns) {
  EXPECT_EQ(check(reduction("affine_map<(a, b) -> (b, a)>;affine_map<(a, b) -> (a)>", "pr", "tensor<?x100xf32>",
                            "tensor<100xf32>"),
                  {HostArray::random({77, 100}, 1)}, {100}),
            "");
}

TEST(Loops, SumOverRows) {
  for (int64_t length : {1, 15, 16, 64, 1000})
    EXPECT_EQ(check(reduction("affine_map<(a, b) -> (a, b)>;affine_map<(a, b) -> (a)>", "pr", "tensor<9x?xf32>",
                              "tensor<9xf32>"),
                    {HostArray::random({9, length}, 1)}, {9}),
              "")
        << length;
}

TEST(Loops, SumOfEverything) {
  EXPECT_EQ(
      check(reduction("affine_map<(a, b) -> (a, b)>;affine_map<(a, b) -> ()>", "rr", "tensor<?x?xf32>", "tensor<f32>"),
            {HostArray::random({40, 33}, 1)}, {}),
      "");
}

TEST(Loops, LargestOverTheMiddle) {
  EXPECT_EQ(check(reduction("affine_map<(a, b, c) -> (a, c, b)>;affine_map<(a, b, c) -> (a, b)>", "ppr",
                            "tensor<4x?x21xf32>", "tensor<4x21xf32>", "arith.maximumf", "0xFF800000"),
                  {HostArray::random({4, 13, 21}, 1)}, {4, 21}),
            "");
}

TEST(Loops, NanIsTheLargest) {
  HostArray x = HostArray::random({3, 40}, 1);
  x.f32()[45] = NAN;
  EXPECT_EQ(check(reduction("affine_map<(a, b) -> (a, b)>;affine_map<(a, b) -> (a)>", "pr", "tensor<3x40xf32>",
                            "tensor<3xf32>", "arith.maximumf", "0xFF800000"),
                  {x}, {3}),
            "");
}

TEST(Loops, ContractionOfThree) {
  Generic bilinear{"affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (k)>, "
                   "affine_map<(i, j, k) -> (i, j)>",
                   "ppr",
                   "%a: tensor<?x31xf32>, %b: tensor<31x45xf32>, %c: tensor<31xf32>",
                   "ins(%a, %b, %c : tensor<?x31xf32>, tensor<31x45xf32>, tensor<31xf32>)",
                   "tensor<?x45xf32>",
                   R"(%m = tensor.dim %a, %c0 : tensor<?x31xf32>
                      %e = tensor.empty(%m) : tensor<?x45xf32>
                      %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x45xf32>) -> tensor<?x45xf32>)",
                   R"(^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
                      %p = arith.mulf %x, %y : f32
                      %q = arith.mulf %p, %z : f32
                      %s = arith.addf %o, %q : f32
                      linalg.yield %s : f32)"};
  EXPECT_EQ(check(bilinear,
                  {HostArray::random({12, 31}, 1), HostArray::random({31, 45}, 2), HostArray::random({31}, 3)},
                  {12, 45}),
            "");
}

TEST(Loops, ConvolutionByExtract) {
  Generic convolve{"affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>",
                   "pr",
                   "%x: tensor<?xf32>, %w: tensor<5xf32>, %n: index",
                   "ins(%w : tensor<5xf32>)",
                   "tensor<?xf32>",
                   R"(%e = tensor.empty(%n) : tensor<?xf32>
                      %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>)",
                   R"(^bb0(%b: f32, %o: f32):
                      %i = linalg.index 0 : index
                      %k = linalg.index 1 : index
                      %j = arith.addi %i, %k : index
                      %a = tensor.extract %x[%j] : tensor<?xf32>
                      %p = arith.mulf %a, %b : f32
                      %s = arith.addf %o, %p : f32
                      linalg.yield %s : f32)"};
  EXPECT_EQ(check(convolve, {HostArray::random({104}, 1), HostArray::random({5}, 2)}, {100}, {100}), "");
}

//===------------------------------------------ moves -------------------------------------------------------------===//

std::string moving(const std::string &arguments, const std::string &result, const std::string &body) {
  return fmt::format("func.func private @k({}) -> {} attributes {{attn.kernel = \"loops\"}} {{\n{}\nreturn %r : {}\n}}",
                     arguments, result, body, result);
}

TEST(Loops, Transpose) {
  std::string text = moving("%x: tensor<?x?x20xf32>", "tensor<20x?x?xf32>",
                            R"(%c0 = arith.constant 0 : index
                             %c1 = arith.constant 1 : index
                             %m = tensor.dim %x, %c0 : tensor<?x?x20xf32>
                             %n = tensor.dim %x, %c1 : tensor<?x?x20xf32>
                             %e = tensor.empty(%m, %n) : tensor<20x?x?xf32>
                             %r = linalg.transpose ins(%x : tensor<?x?x20xf32>) outs(%e : tensor<20x?x?xf32>)
                                 permutation = [2, 0, 1])");
  for (std::string target : {"native", "x86-64-v3"})
    for (Shape size : {Shape{7, 35}, {1, 16}, {3, 64}, {2, 1}, {1, 15}}) {
      OracleCheck check{text, {HostArray::random({size[0], size[1], 20}, 1)}, {{20, size[0], size[1]}}};
      check.target = target;
      EXPECT_EQ(differenceFromOracle(check), "") << size[1];
    }
}

TEST(Loops, TransposeOfHeads) {
  std::string text = moving("%x: tensor<3x17x4x24xi32>", "tensor<3x4x24x17xi32>",
                            R"(%e = tensor.empty() : tensor<3x4x24x17xi32>
                             %r = linalg.transpose ins(%x : tensor<3x17x4x24xi32>) outs(%e : tensor<3x4x24x17xi32>)
                                 permutation = [0, 2, 3, 1])");
  HostArray x({3, 17, 4, 24}, ElementKind::I32);
  for (int64_t i = 0; i < x.size(); ++i)
    x.i32()[i] = static_cast<int32_t>(i);
  EXPECT_EQ(differenceFromOracle({text, {x}, {{3, 4, 24, 17}}}), "");
}

TEST(Loops, TransposeOfOuterDimensions) {
  std::string text = moving("%x: tensor<?x3x40xf32>", "tensor<3x?x40xf32>",
                            R"(%c0 = arith.constant 0 : index
                             %m = tensor.dim %x, %c0 : tensor<?x3x40xf32>
                             %e = tensor.empty(%m) : tensor<3x?x40xf32>
                             %r = linalg.transpose ins(%x : tensor<?x3x40xf32>) outs(%e : tensor<3x?x40xf32>)
                                 permutation = [1, 0, 2])");
  EXPECT_EQ(differenceFromOracle({text, {HostArray::random({9, 3, 40}, 1)}, {{3, 9, 40}}}), "");
}

TEST(Loops, SliceWithStrides) {
  std::string text = moving("%x: tensor<12x?xf32>, %n: index", "tensor<4x?xf32>",
                            "%r = tensor.extract_slice %x[1, 3] [4, %n] [2, 2] : tensor<12x?xf32> to tensor<4x?xf32>");
  EXPECT_EQ(differenceFromOracle({text, {HostArray::random({12, 90}, 1)}, {{4, 40}}, {40}}), "");
}

TEST(Loops, SliceOfOneRow) {
  std::string text = moving("%x: tensor<12x33xf32>", "tensor<33xf32>",
                            "%r = tensor.extract_slice %x[11, 0] [1, 33] [1, 1] : tensor<12x33xf32> to tensor<33xf32>");
  EXPECT_EQ(differenceFromOracle({text, {HostArray::random({12, 33}, 1)}, {{33}}}), "");
}

/// Fills one chunk, or several with a partial last one, with numbers whose bits are zero or not.
TEST(Loops, Fills) {
  auto check = [](const std::string &number, const std::string &element, Shape result) {
    std::string type = fmt::format("tensor<?x20x{}>", element);
    std::string text = moving("%n: index", type,
                              fmt::format("%c = arith.constant {0} : {1}\n%e = tensor.empty(%n) : {2}\n"
                                          "%r = linalg.fill ins(%c : {1}) outs(%e : {2}) -> {2}",
                                          number, element, type));
    for (std::string target : {"native", "x86-64-v3", "cuda"}) {
      OracleCheck oracle{text, {}, {result}, {result[0]}};
      oracle.target = target;
      EXPECT_EQ(differenceFromOracle(oracle), "") << number << ", " << target << ", " << result[0];
    }
  };
  for (int64_t rows : {0, 1, 7, 3300, 3277})
    check("0.0", "f32", {rows, 20});
  for (std::string number : {"-0.0", "1.5"})
    check(number, "f32", {7, 20});
  for (std::string number : {"0", "16843009"})
    check(number, "i32", {7, 20});
}

TEST(Loops, Concatenation) {
  for (int dimension : {0, 1}) {
    Shape x{7, 9}, y{7, 9}, z = x;
    y[dimension] = 20;
    z[dimension] = x[dimension] + 20;
    std::string text =
        moving("%x: tensor<?x?xf32>, %y: tensor<?x?xf32>", "tensor<?x?xf32>",
               fmt::format("%r = tensor.concat dim({}) %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>",
                           dimension));
    EXPECT_EQ(differenceFromOracle({text, {HostArray::random(x, 1), HostArray::random(y, 2)}, {z}}), "") << dimension;
  }
}

/// Returns a kernel that sums `term` over loops t and c, and adds %bias and %more after the sum.
std::string sumWithEpilogue(const std::string &arguments, const std::string &result, const std::string &maps,
                            const std::string &iterators, const std::string &term, bool readsSumTurned = false) {
  return fmt::format(R"(func.func private @k({0}, %bias: tensor<20xf32>, %more: {1}) -> {1} attributes {{attn.kernel = "loops"}} {{
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %n = tensor.dim %x, %c0 : tensor<?x20x20xf32>
      %empty = tensor.empty(%n) : {1}
      %init = linalg.fill ins(%zero : f32) outs(%empty : {1}) -> {1}
      %sum = linalg.generic {{indexing_maps = [{2}], iterator_types = [{3}]}}
          ins(%w : tensor<3x20xf32>) outs(%init : {1}) {{
      ^bb0(%b: f32, %out: f32):
        {4}
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %out, %p : f32
        linalg.yield %s : f32 }} -> {1}
      %y = linalg.generic {{indexing_maps = [{5}, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>,
          affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
          ins(%sum, %bias, %more : {1}, tensor<20xf32>, {1}) outs(%empty : {1}) {{
      ^bb0(%s: f32, %b: f32, %m: f32, %out: f32):
        %t = arith.addf %s, %b : f32
        %r = arith.maximumf %t, %zero : f32
        %z = arith.addf %r, %m : f32
        linalg.yield %z : f32 }} -> {1}
      return %y : {1} }})",
                     arguments, result, maps, iterators, term,
                     readsSumTurned ? "affine_map<(i, j) -> (j, i)>" : "affine_map<(i, j) -> (i, j)>");
}

/// Sums of windows, whose terms lie across lanes, and of rows, whose terms lie along lanes.
TEST(Loops, SumsWithEpilogues) {
  std::string windows = sumWithEpilogue(
      "%x: tensor<?x20x20xf32>, %w: tensor<3x20xf32>", "tensor<?x20xf32>",
      "affine_map<(i, j, t, c) -> (t, c)>, affine_map<(i, j, t, c) -> (i, j)>",
      R"("parallel", "parallel", "reduction", "reduction")", R"(%i = linalg.index 0 : index %j = linalg.index 1 : index
        %c = linalg.index 3 : index %a = tensor.extract %x[%i, %c, %j] : tensor<?x20x20xf32>)");
  std::string rows = sumWithEpilogue("%x: tensor<?x20x20xf32>, %w: tensor<3x20xf32>", "tensor<?x20xf32>",
                                     "affine_map<(i, j, t, c) -> (t, c)>, affine_map<(i, j, t, c) -> (i, j)>",
                                     R"("parallel", "parallel", "reduction", "reduction")",
                                     R"(%i = linalg.index 0 : index %j = linalg.index 1 : index
        %c = linalg.index 3 : index %a = tensor.extract %x[%i, %j, %c] : tensor<?x20x20xf32>)");
  for (const std::string &text : {windows, rows})
    for (std::string target : {"native", "x86-64-v3", "cuda"})
      for (int64_t n : {0, 1, 37}) {
        std::vector<HostArray> operands = {HostArray::random({n, 20, 20}, 1), HostArray::random({3, 20}, 2),
                                           HostArray::random({20}, 3), HostArray::random({n, 20}, 4)};
        OracleCheck oracle{text, operands, {{n, 20}}};
        oracle.target = target;
        EXPECT_EQ(differenceFromOracle(oracle), "") << target << ", " << n;
      }
}

TEST(Loops, EpiloguesReadTheSumWhereItIsMade) {
  std::string text = sumWithEpilogue("%x: tensor<?x20x20xf32>, %w: tensor<3x20xf32>", "tensor<20x20xf32>",
                                     "affine_map<(i, j, t, c) -> (t, c)>, affine_map<(i, j, t, c) -> (i, j)>",
                                     R"("parallel", "parallel", "reduction", "reduction")",
                                     R"(%i = linalg.index 0 : index %j = linalg.index 1 : index
        %c = linalg.index 3 : index %a = tensor.extract %x[%i, %j, %c] : tensor<?x20x20xf32>)",
                                     /*readsSumTurned=*/true);
  text.replace(text.find("tensor.empty(%n)"), 16, "tensor.empty()");
  KernelRunner runner(text, *createCpuEmitter());
  EXPECT_EQ(runner.message(), "cpu does not take this kernel: it is more than one computation and an epilogue");
}

TEST(Loops, Refusals) {
  KernelRunner runner(moving("%x: tensor<4x4xf32>", "tensor<4x4xf32>", R"(%e = tensor.empty() : tensor<4x4xf32>
        %r = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>)"),
                      *createCpuEmitter());
  EXPECT_EQ(runner.message(), "cpu does not take this kernel: it contains linalg.matmul");
}

} // namespace
} // namespace attnc
