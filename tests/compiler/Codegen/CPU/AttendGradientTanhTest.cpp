// Compares gradients of additive scores with the oracle: spellings, sizes, and terms beyond the range of powers.
#include "tests/compiler/Codegen/CPU/AttendGradientKernels.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace attnc {
namespace {

const char *plain = "%t0 = arith.addf %a, %b : f32 %t1 = math.tanh %t0 : f32 %t2 = tensor.extract %va[%d] : "
                    "tensor<20xf32> %t = arith.mulf %t1, %t2 : f32";

AttendGradientKernel additive(const std::string &dot = plain) {
  AttendGradientKernel kernel;
  kernel.dim = 20;
  kernel.valueDim = 13;
  kernel.captured = ", %va: tensor<20xf32>";
  kernel.of = {{"%va", "tensor<20xf32>"}};
  kernel.dot = dot;
  return kernel;
}

std::vector<HostArray> tanhOperands(const AttendKernel &kernel, float range = 1.5) {
  std::vector<HostArray> operands = kernel.operands(range);
  operands.push_back(HostArray::random({kernel.dim}, 8));
  return operands;
}

/// The gradient of a coefficient sums over all pairs of all heads.
constexpr double tolerance = 4e-5;

struct Spelling {
  const char *name, *dot;
  bool isTiled = true;
};

const Spelling spellings[] = {
    {"plain", plain},
    {"bias", "%t3 = tensor.extract %va[%d] : tensor<20xf32> %t0 = arith.addf %a, %b : f32 %t4 = arith.addf %t0, %t3 : "
             "f32 %t1 = math.tanh %t4 : f32 %t = arith.mulf %t1, %t3 : f32"},
    {"difference", "%t3 = tensor.extract %va[%d] : tensor<20xf32> %t0 = arith.subf %a, %b : f32 %t5 = arith.subf %t0, "
                   "%t3 : f32 %t1 = math.tanh %t5 : f32 %t = arith.negf %t1 : f32"},
    {"scaled", "%t0 = arith.addf %a, %b : f32 %t3 = arith.divf %t0, %scale : f32 %t1 = math.tanh %t3 : f32 %t2 = "
               "tensor.extract %va[%d] : tensor<20xf32> %t4 = arith.mulf %t1, %t2 : f32 %t = arith.mulf %t4, %scale : "
               "f32"},
    {"pointwise terms", "%t3 = arith.mulf %a, %a : f32 %t4 = math.sin %b : f32 %t0 = arith.subf %t3, %t4 : f32 %t1 = "
                        "math.tanh %t0 : f32 %t2 = tensor.extract %va[%d] : tensor<20xf32> %t = arith.mulf %t1, %t2 : "
                        "f32"},
    {"learned scale of a row",
     "%t2 = tensor.extract %va[%d] : tensor<20xf32> %t3 = arith.mulf %a, %t2 : f32 %t0 = "
     "arith.addf %t3, %b : f32 %t = math.tanh %t0 : f32",
     /*isTiled=*/false},
};

class AttendGradientTanh : public testing::TestWithParam<Spelling> {};

TEST_P(AttendGradientTanh, AgreesWithTheOracle) {
  AttendGradientKernel kernel = additive(GetParam().dot);
  kernel.schedule = "tile_q = 24 : i64";
  ParsedModule parsed(kernel.gradientText());
  EXPECT_EQ(isTiledAttendGradient(parsed.function()), GetParam().isTiled);
  ComparedKernel compiled(kernel.gradientText());
  for (auto [queries, keys] : {std::pair<int64_t, int64_t>{50, 83}, {83, 50}, {24, 64}, {5, 1}, {0, 4}, {4, 0}}) {
    kernel.queries = queries;
    kernel.keys = keys;
    EXPECT_EQ(compareGradient(compiled, kernel, tanhOperands(kernel), tolerance), "") << queries << " " << keys;
  }
}

INSTANTIATE_TEST_SUITE_P(Spellings, AttendGradientTanh, testing::ValuesIn(spellings), [](const auto &info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST(AttendGradientTanhs, KeysAreSplit) {
  AttendGradientKernel kernel = additive();
  kernel.heads = 1;
  kernel.queries = 40;
  kernel.keys = 1100;
  EXPECT_EQ(compareGradient(kernel, tanhOperands(kernel), tolerance), "");
}

TEST(AttendGradientTanhs, Masks) {
  AttendGradientKernel kernel = additive();
  kernel.queries = kernel.keys = 150;
  for (const char *mask :
       {"%m = arith.cmpi sle, %j, %i : index", "%w = arith.constant 70 : index %m = arith.cmpi slt, %j, %w : index",
        "%w = arith.constant 70 : index %m = arith.cmpi slt, %i, %w : index"}) {
    kernel.mask = mask;
    EXPECT_EQ(compareGradient(kernel, tanhOperands(kernel), tolerance), "") << mask;
  }
}

TEST(AttendGradientTanhs, BesideADotProductAndABias) {
  AttendGradientKernel kernel = additive();
  kernel.captured += ", %bias: tensor<?x?xf32>";
  kernel.of.push_back({"%bias", "tensor<?x?xf32>"});
  kernel.score = "%y0 = attn.reduce add (%d) in (%D) { %a0 = tensor.extract %q[%h, %i, %d] : " + kernel.queryType() +
                 " %b0 = tensor.extract %k[%h, %j, %d] : " + kernel.keyType() +
                 " %p0 = arith.mulf %a0, %b0 : f32 attn.yield %p0 : f32 } : f32 %y1 = tensor.extract %bias[%i, %j] : "
                 "tensor<?x?xf32> %y2 = arith.mulf %y0, %s : f32 %y = arith.addf %y2, %y1 : f32";
  std::vector<HostArray> operands = tanhOperands(kernel);
  operands.push_back(HostArray::random({kernel.queries, kernel.keys}, 4));
  EXPECT_EQ(compareGradient(kernel, operands, 2e-4), ""); // scores are products of sums
}

TEST(AttendGradientTanhs, QueriesAndKeysOfOneTensor) {
  AttendGradientKernel kernel;
  kernel.queries = kernel.keys = 90;
  kernel.dot = "%b1 = tensor.extract %q[%h, %j, %d] : " + kernel.queryType() +
               " %t0 = arith.addf %a, %b1 : f32 %t = math.tanh %t0 : f32";
  EXPECT_EQ(compareGradient(kernel, kernel.operands(), tolerance), "");
}

TEST(AttendGradientTanhs, NarrowVectors) {
  AttendGradientKernel kernel = additive();
  EXPECT_EQ(compareGradient(kernel, tanhOperands(kernel), tolerance, "x86-64-v3"), "");
}

TEST(AttendGradientTanhs, LargeTerms) {
  // In the range of powers, and beyond.
  for (float range : {42.0f, 46.0f, 1e4f}) {
    AttendGradientKernel kernel = additive();
    EXPECT_EQ(compareGradient(kernel, tanhOperands(kernel, range), tolerance), "") << range;
  }
}

TEST(AttendGradientTanhs, OneLargeElement) {
  AttendGradientKernel kernel = additive();
  kernel.queries = kernel.keys = 150;
  for (int tensor : {0, 1}) {
    std::vector<HostArray> operands = tanhOperands(kernel);
    operands[tensor].f32()[80 * kernel.dim + 3] = 200; // in a single block
    EXPECT_EQ(compareGradient(kernel, operands, tolerance), "") << tensor;
  }
}

TEST(AttendGradientTanhs, TermsAtTheBorder) {
  AttendGradientKernel kernel = additive();
  constexpr float border = 43;
  const float terms[] = {border, -border, std::nextafter(border, 0.0f), std::nextafter(border, 50.0f), 0, -0.0f};
  for (int64_t most : {2, 3, 4, 6}) {
    std::vector<HostArray> operands = tanhOperands(kernel);
    for (int tensor : {0, 1})
      for (int64_t i = 0; i < operands[tensor].size(); ++i)
        operands[tensor].f32()[i] = terms[(i + i / 7 + tensor) % most];
    EXPECT_EQ(compareGradient(kernel, operands, tolerance), "") << most;
  }
}

/// The error of a score is 2^-23 times the sum of coefficients, and that of gradients is larger by the same factor.
TEST(AttendGradientTanhs, CoefficientsAtTheBorder) {
  AttendGradientKernel kernel = additive();
  constexpr double largestSum = 1024;
  for (double sum : {largestSum * 0.999, largestSum, largestSum * 1.001}) {
    std::vector<HostArray> operands = tanhOperands(kernel, 0.01f);
    for (int64_t i = 0; i < kernel.dim; ++i)
      operands[3].f32()[i] = float(sum / double(kernel.dim) * (i % 2 ? 1 : -1));
    EXPECT_EQ(compareGradient(kernel, operands, 4 * largestSum * 0x1p-23), "") << sum;
  }
}

TEST(AttendGradientTanhs, ZeroCoefficients) {
  AttendGradientKernel kernel = additive();
  for (float range : {1.0f, 100.0f}) {
    std::vector<HostArray> operands = tanhOperands(kernel, range);
    std::fill_n(operands[3].f32(), kernel.dim, 0.0f);
    EXPECT_EQ(compareGradient(kernel, operands, tolerance), "") << range;
  }
}

/// A NaN coefficient affects every result; a NaN row affects its unmasked pairs.
TEST(AttendGradientTanhs, NanOfAnyOperand) {
  AttendGradientKernel kernel = additive();
  kernel.mask = "%m = arith.cmpi sle, %j, %i : index";
  for (int tensor : {0, 1, 2, 3}) {
    std::vector<HostArray> operands = tanhOperands(kernel);
    operands[tensor].f32()[tensor == 3 ? 5 : 35 * kernel.dim + 5] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(compareGradient(kernel, operands, tolerance), "") << tensor;
  }
}

TEST(AttendGradientTanhs, InfinityOfAMaskedKeyCountsForNothing) {
  AttendGradientKernel kernel = additive();
  kernel.mask = "%m = arith.cmpi sle, %j, %i : index";
  std::vector<HostArray> operands = tanhOperands(kernel);
  operands[1].f32()[85 * kernel.dim + 3] = std::numeric_limits<float>::infinity();
  operands[1].f32()[86 * kernel.dim + 3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(compareGradient(kernel, operands, tolerance), "");
}

} // namespace
} // namespace attnc
