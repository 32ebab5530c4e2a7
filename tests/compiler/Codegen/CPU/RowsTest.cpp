// Compares rows kernels with the oracle, on processors and on a device: the norms and losses of the prelude, and named
// special rows.
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "tests/compiler/Codegen/CPU/RowsKernels.h"
#include "tests/support/OracleCheck.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

using Shape = std::vector<int64_t>;

const std::vector<Shape> shapes = {{1, 1, 1},   {2, 3, 5},   {3, 2, 16},  {2, 2, 64},
                                   {1, 4, 100}, {4, 5, 257}, {3, 40, 768}};

using Targets = std::vector<std::string>;
const Targets processors = {"native", "x86-64-v3"}, everywhere = {"native", "x86-64-v3", "cuda"};

std::string check(const std::string &text, const std::vector<HostArray> &inputs, const std::vector<Shape> &results,
                  const Targets &targets = everywhere) {
  for (const std::string &target : targets) {
    OracleCheck oracle{text, inputs, results};
    oracle.target = target;
    if (std::string difference = differenceFromOracle(oracle); !difference.empty())
      return target + ": " + difference;
  }
  return "";
}

TEST(Rows, LayerNorm) {
  for (const Shape &shape : shapes)
    EXPECT_EQ(
        check(layerNorm(),
              {HostArray::random(shape, 1, -2, 5), HostArray::random({shape[2]}, 2), HostArray::random({shape[2]}, 3)},
              {shape}),
        "")
        << shape[2];
}

TEST(Rows, Softmax) {
  for (const Shape &shape : shapes)
    EXPECT_EQ(check(softmax(), {HostArray::random(shape, 1, -20, 20)}, {shape}), "") << shape[2];
}

TEST(Rows, SoftmaxOfInfinities) {
  HostArray x = HostArray::random({1, 3, 40}, 1);
  for (int i = 0; i < 40; ++i)
    x.f32()[i] = i < 30 ? -INFINITY : x.f32()[i]; // masked
  x.f32()[40 + 7] = NAN;
  x.f32()[80 + 9] = 3e38f;
  EXPECT_EQ(check(softmax(), {x}, {x.shape}), "");
}

TEST(Rows, CrossEntropyWithSoftmax) {
  for (const Shape &shape : shapes) {
    HostArray labels({shape[0], shape[1]}, ElementKind::I32);
    for (int64_t i = 0; i < labels.size(); ++i)
      labels.i32()[i] = static_cast<int32_t>(i * 31 % shape[2]);
    EXPECT_EQ(check(crossEntropy(), {HostArray::random(shape, 1, -5, 5), labels}, {{shape[0], shape[1]}, shape}), "")
        << shape[2];
  }
}

//===------------------------------------------ rows of known length ----------------------------------------------===//

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// Returns the kernel with rows of this static length; `rows`, if given, makes all sizes static.
std::string ofLength(std::string text, int64_t length, const Shape &rows = {}) {
  std::string before = rows.empty() ? "?x?" : fmt::format("{}x{}", rows[0], rows[1]);
  replaceAll(text, "tensor<?xf32>", fmt::format("tensor<{}xf32>", length));
  replaceAll(text, "tensor<?x?x?xf32>", fmt::format("tensor<{}x{}xf32>", before, length));
  replaceAll(text, "tensor<?x?x", "tensor<" + before + "x");
  replaceAll(text, "tensor.empty(%m, %n, %p)", rows.empty() ? "tensor.empty(%m, %n)" : "tensor.empty()");
  if (!rows.empty())
    replaceAll(text, "tensor.empty(%m, %n)", "tensor.empty()");
  return text;
}

/// Lengths less than a vector, whose rows may lie in lanes, and longer ones with each kind of remainder.
const std::vector<int64_t> lengths = {1, 2, 3, 7, 8, 10, 15, 16, 36, 64, 100, 130};
const std::vector<Shape> rowsOf = {{1, 1}, {2, 5}, {3, 16}, {2, 24}, {4, 33}, {40, 1}};

TEST(Rows, NormOfKnownLength) {
  for (int64_t length : lengths)
    for (const Shape &rows : rowsOf) {
      Shape shape{rows[0], rows[1], length};
      std::vector<HostArray> inputs = {HostArray::random(shape, 1, -2, 5), HostArray::random({length}, 2),
                                       HostArray::random({length}, 3)};
      EXPECT_EQ(check(ofLength(layerNorm(), length), inputs, {shape}, processors), "") << length << " " << rows[1];
      EXPECT_EQ(check(ofLength(layerNorm(), length, rows), inputs, {shape}, processors), "") << length;
    }
}

TEST(Rows, SoftmaxOfKnownLengthWithInfinitiesAndNan) {
  for (int64_t length : lengths) {
    Shape shape{2, 24, length};
    HostArray x = HostArray::random(shape, 1, -20, 20);
    for (int64_t at = 0; at < length; ++at)
      x.f32()[3 * length + at] = at ? -INFINITY : 1.0f;
    x.f32()[5 * length + length - 1] = NAN;
    x.f32()[17 * length] = NAN;
    x.f32()[18 * length + length / 2] = 3e38f;
    EXPECT_EQ(check(ofLength(softmax(), length), {x}, {shape}, processors), "") << length;
    EXPECT_EQ(check(ofLength(softmax(), length, {2, 24}), {x}, {shape}, processors), "") << length;
  }
}

TEST(Rows, CrossEntropyOfKnownLength) {
  for (int64_t length : lengths)
    for (const Shape &rows : rowsOf) {
      Shape shape{rows[0], rows[1], length};
      HostArray labels(rows, ElementKind::I32);
      for (int64_t i = 0; i < labels.size(); ++i)
        labels.i32()[i] = static_cast<int32_t>(i * 31 % length);
      std::vector<HostArray> inputs = {HostArray::random(shape, 1, -5, 5), labels};
      EXPECT_EQ(check(ofLength(crossEntropy(), length), inputs, {rows, shape}, processors), "") << length;
      KernelRunner runner(ofLength(crossEntropy(/*overLogits=*/true), length), *createCpuEmitter());
      ASSERT_TRUE(runner) << runner.message();
      RunOptions over;
      over.inPlaceOperand = 0;
      std::vector<HostArray> apart = runner.run(inputs, {shape, rows});
      std::vector<HostArray> shared = runner.run(inputs, {shape, rows}, over);
      EXPECT_EQ(apart[0].bytes, shared[0].bytes) << length;
      EXPECT_EQ(apart[1].bytes, shared[1].bytes) << length;
    }
}

TEST(Rows, ShortRowsLieInLanesAndKeepNothingInScratch) {
  KernelRunner runner(ofLength(softmax(), 7, {6, 40}), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  EXPECT_EQ(runner.code().workerBytes, SizeExpr(0));
  KernelRunner longer(ofLength(softmax(), 100, {6, 40}), *createCpuEmitter());
  ASSERT_TRUE(longer) << longer.message();
  EXPECT_EQ(longer.code().workerBytes, SizeExpr(448));
}

TEST(Rows, LabelOutOfRangeOfAShortRow) {
  KernelRunner runner(ofLength(crossEntropy(), 9), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  HostArray labels = HostArray::of({1, 20}, std::vector<int32_t>(20, 8));
  runner.run({HostArray::random({1, 20, 9}, 1), labels}, {{1, 20}, {1, 20, 9}});
  EXPECT_EQ(runner.status(), 0);
  labels.i32()[17] = 9;
  runner.run({HostArray::random({1, 20, 9}, 1), labels}, {{1, 20}, {1, 20, 9}});
  EXPECT_EQ(runner.status(), 5);
}

TEST(Rows, ProbabilitiesOverTheLogitsOfWhichOneIsPicked) {
  KernelRunner runner(crossEntropy(/*overLogits=*/true), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  RunOptions over;
  over.inPlaceOperand = 0;
  for (const Shape &shape : shapes) {
    HostArray labels({shape[0], shape[1]}, ElementKind::I32);
    for (int64_t i = 0; i < labels.size(); ++i)
      labels.i32()[i] = static_cast<int32_t>(i * 31 % shape[2]);
    std::vector<HostArray> inputs = {HostArray::random(shape, 1, -5, 5), labels};
    std::vector<HostArray> apart = runner.run(inputs, {shape, {shape[0], shape[1]}});
    std::vector<HostArray> shared = runner.run(inputs, {shape, {shape[0], shape[1]}}, over);
    EXPECT_EQ(apart[0].bytes, shared[0].bytes) << shape[2];
    EXPECT_EQ(apart[1].bytes, shared[1].bytes) << shape[2];
  }
}

TEST(Rows, LabelOutOfRange) {
  KernelRunner runner(crossEntropy(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  HostArray labels = HostArray::of({1, 2}, std::vector<int32_t>{3, 9});
  runner.run({HostArray::random({1, 2, 9}, 1), labels}, {{1, 2}, {1, 2, 9}});
  EXPECT_EQ(runner.status(), 5);
}

TEST(Rows, LongRow) {
  Shape shape{1, 2, 50257};
  EXPECT_EQ(check(softmax(), {HostArray::random(shape, 1, -5, 5)}, {shape}), "");
}

TEST(Rows, NoRows) { EXPECT_EQ(check(softmax(), {HostArray::random({2, 0, 7}, 1)}, {{2, 0, 7}}), ""); }

TEST(Rows, SoftmaxKeepsItsExponentials) {
  KernelRunner runner(softmax(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  EXPECT_EQ(runner.code().workerBytes.evaluate({2, 3, 100, 2, 3, 100}), 448);
  KernelRunner norm(layerNorm(), *createCpuEmitter());
  EXPECT_EQ(norm.code().workerBytes, SizeExpr(0));
}

TEST(Rows, ArgMax) {
  std::string text =
      R"(func.func private @k(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xi32>) attributes {attn.kernel = "rows"} {
      %c0 = arith.constant 0 : index
      %m = tensor.dim %x, %c0 : tensor<?x?xf32>
      %low = arith.constant 0xFF800000 : f32
      %none = arith.constant 0 : i32
      %e = tensor.empty(%m) : tensor<?xf32>
      %f = tensor.empty(%m) : tensor<?xi32>
      %a = linalg.fill ins(%low : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %b = linalg.fill ins(%none : i32) outs(%f : tensor<?xi32>) -> tensor<?xi32>
      %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                                              affine_map<(i, j) -> (i)>],
                             iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<?x?xf32>) outs(%a, %b : tensor<?xf32>, tensor<?xi32>) {
      ^bb0(%y: f32, %best: f32, %at: i32):
        %j = linalg.index 1 : index
        %k = arith.index_cast %j : index to i32
        %c = arith.cmpf ogt, %y, %best : f32
        %s = arith.select %c, %y, %best : f32
        %t = arith.select %c, %k, %at : i32
        linalg.yield %s, %t : f32, i32
      } -> (tensor<?xf32>, tensor<?xi32>)
      return %r#0, %r#1 : tensor<?xf32>, tensor<?xi32>
    })";
  for (int64_t length : {1, 7, 100})
    EXPECT_EQ(check(text, {HostArray::random({9, length}, 1)}, {{9}, {9}}, processors), "") << length;
}

TEST(Rows, Refusals) {
  std::string text = layerNorm();
  text.replace(text.find("math.rsqrt"), 10, "math.atan");
  KernelRunner runner(text, *createCpuEmitter());
  EXPECT_EQ(runner.message(), "cpu does not take this kernel: its formula contains math.atan");
}

} // namespace
} // namespace attnc
