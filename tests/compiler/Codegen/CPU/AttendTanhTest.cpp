// Compares additive scores with the oracle: spellings, sizes, and terms beyond the range of powers.
#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace attnc {
namespace {

const char *plain = "%t0 = arith.addf %a, %b : f32 %t1 = math.tanh %t0 : f32 %t2 = tensor.extract %va[%d] : "
                    "tensor<?xf32> %t = arith.mulf %t1, %t2 : f32";

AttendKernel additive(const std::string &dot = plain) {
  AttendKernel kernel;
  kernel.captured = ", %va: tensor<?xf32>";
  kernel.dot = dot;
  kernel.yields = "\"value\", \"lse\"";
  kernel.score = "%y = arith.addf %s, %scale : f32"; // not only the sum
  return kernel;
}

std::vector<HostArray> tanhOperands(const AttendKernel &kernel, float range = 3) {
  std::vector<HostArray> operands = kernel.operands(range);
  operands.push_back(HostArray::random({kernel.dim}, 8));
  return operands;
}

struct Spelling {
  const char *name, *dot;
};

class AttendTanh : public testing::TestWithParam<Spelling> {};

/// Spellings of the term; all except the last two are the same function.
const Spelling spellings[] = {
    {"coefficient first", "%t0 = arith.addf %b, %a : f32 %t1 = math.tanh %t0 : f32 %t2 = tensor.extract %va[%d] : "
                          "tensor<?xf32> %t = arith.mulf %t2, %t1 : f32"},
    {"bias", "%t3 = tensor.extract %va[%d] : tensor<?xf32> %t0 = arith.addf %a, %b : f32 %t4 = arith.addf %t0, %t3 : "
             "f32 %t1 = math.tanh %t4 : f32 %t = arith.mulf %t1, %t3 : f32"},
    {"difference", "%t0 = arith.subf %a, %b : f32 %t1 = math.tanh %t0 : f32 %t = arith.negf %t1 : f32"},
    {"scaled argument", "%t0 = arith.addf %a, %b : f32 %t3 = arith.divf %t0, %scale : f32 %t4 = arith.negf %t3 : f32 "
                        "%t1 = math.tanh %t4 : f32 %t = arith.mulf %t1, %scale : f32"},
    {"a term twice", "%t0 = arith.addf %a, %b : f32 %t3 = arith.addf %t0, %a : f32 %t1 = math.tanh %t3 : f32 %t2 = "
                     "tensor.extract %va[%d] : tensor<?xf32> %t = arith.mulf %t1, %t2 : f32"},
    {"pointwise terms", "%t3 = arith.mulf %a, %a : f32 %t4 = math.sin %b : f32 %t0 = arith.subf %t3, %t4 : f32 %t1 = "
                        "math.tanh %t0 : f32 %t2 = tensor.extract %va[%d] : tensor<?xf32> %t = arith.mulf %t1, %t2 : "
                        "f32"},
    {"coefficient of the row", "%t0 = arith.addf %a, %b : f32 %t1 = math.tanh %t0 : f32 %t = arith.mulf %t1, %a : f32"},
    {"product inside", "%t0 = arith.mulf %a, %b : f32 %t1 = math.tanh %t0 : f32 %t2 = tensor.extract %va[%d] : "
                       "tensor<?xf32> %t = arith.mulf %t1, %t2 : f32"},
};

TEST_P(AttendTanh, AgreesWithTheOracle) {
  AttendKernel kernel = additive(GetParam().dot);
  EXPECT_EQ(compareWithOracle(kernel, tanhOperands(kernel)), "");
}

INSTANTIATE_TEST_SUITE_P(Spellings, AttendTanh, testing::ValuesIn(spellings), [](const auto &info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST(AttendTanhSizes, Features) {
  for (int64_t dim : {1, 3, 4, 5, 16, 30, 64, 100}) {
    AttendKernel kernel = additive();
    kernel.dim = dim;
    EXPECT_EQ(compareWithOracle(kernel, tanhOperands(kernel)), "") << dim;
  }
}

TEST(AttendTanhSizes, QueriesAndKeys) {
  for (auto [queries, keys] : {std::pair<int64_t, int64_t>{64, 128}, {1, 1}, {9, 3}, {130, 261}, {20, 0}}) {
    AttendKernel kernel = additive();
    kernel.queries = queries;
    kernel.keys = keys;
    EXPECT_EQ(compareWithOracle(kernel, tanhOperands(kernel)), "") << queries << " " << keys;
  }
}

TEST(AttendTanhSizes, Masks) {
  AttendKernel kernel = additive();
  kernel.queries = kernel.keys = 150;
  for (const char *mask :
       {"%m = arith.cmpi sle, %j, %i : index", "%w = arith.constant 70 : index %m = arith.cmpi slt, %j, %w : index",
        "%x = arith.addi %i, %j : index %w = arith.constant 3 : index %z = arith.remui %x, %w : "
        "index %m = arith.cmpi eq, %z, %c0 : index"}) {
    kernel.mask = mask;
    EXPECT_EQ(compareWithOracle(kernel, tanhOperands(kernel)), "") << mask;
  }
}

TEST(AttendTanhSizes, NarrowVectors) {
  AttendKernel kernel = additive();
  EXPECT_EQ(compareWithOracle(kernel, tanhOperands(kernel), attendTolerance, "x86-64-v3"), "");
}

//===------------------------------------------ terms of any size ------------------------------------------------===//

TEST(AttendTanhRange, LargeTerms) {
  // In the range of powers, beyond it in some blocks, and beyond it everywhere.
  for (float range : {42.0f, 46.0f, 1e4f, 1e38f}) {
    AttendKernel kernel = additive();
    EXPECT_EQ(compareWithOracle(kernel, tanhOperands(kernel, range)), "") << range;
  }
}

TEST(AttendTanhRange, OneLargeElement) {
  AttendKernel kernel = additive();
  kernel.queries = kernel.keys = 300;
  for (int tensor : {0, 1}) {
    std::vector<HostArray> operands = tanhOperands(kernel);
    operands[tensor].f32()[140 * kernel.dim + 3] = 200; // a key in one block, a row in another
    EXPECT_EQ(compareWithOracle(kernel, operands), "") << tensor;
  }
}

TEST(AttendTanhRange, OppositeTermsCancel) {
  AttendKernel kernel = additive();
  std::vector<HostArray> operands = tanhOperands(kernel);
  for (int64_t i = 0; i < operands[0].size(); ++i)
    operands[0].f32()[i] += 40;
  for (int64_t i = 0; i < operands[1].size(); ++i)
    operands[1].f32()[i] -= 40;
  EXPECT_EQ(compareWithOracle(kernel, operands, 1e-4), ""); // terms near 40 have a spacing of 2^-18
}

TEST(AttendTanhRange, LargeCoefficientsOfSmallTerms) {
  AttendKernel kernel = additive();
  std::vector<HostArray> operands = tanhOperands(kernel, 1e-6f);
  for (int64_t i = 0; i < kernel.dim; ++i)
    operands[3].f32()[i] *= 1e6f;
  EXPECT_EQ(compareWithOracle(kernel, operands), "");
}

/// Terms on both sides of the largest term of powers, of both signs, alone and together.
TEST(AttendTanhRange, TermsAtTheBorder) {
  AttendKernel kernel = additive();
  constexpr float border = 43;
  const float terms[] = {border, -border, std::nextafter(border, 0.0f), std::nextafter(border, 50.0f), 0, -0.0f};
  for (int64_t most : {2, 3, 4, 6}) { // most = 3: all terms are in range; most = 4: one is not
    std::vector<HostArray> operands = tanhOperands(kernel);
    for (int tensor : {0, 1})
      for (int64_t i = 0; i < operands[tensor].size(); ++i)
        operands[tensor].f32()[i] = terms[(i + i / 7 + tensor) % most];
    EXPECT_EQ(compareWithOracle(kernel, operands), "") << most;
  }
}

/// The weights of scores of this magnitude have the error of the scores' last digit.
TEST(AttendTanhRange, CoefficientsAtTheBorder) {
  AttendKernel kernel = additive();
  constexpr double largestSum = 1024;
  for (double sum : {largestSum * 0.999, largestSum, largestSum * 1.001})
    for (bool isOne : {true, false}) {
      std::vector<HostArray> operands = tanhOperands(kernel);
      for (int64_t i = 0; i < kernel.dim; ++i)
        operands[3].f32()[i] =
            isOne ? (i == 2 ? float(sum) : 0.0f) : float(sum / double(kernel.dim) * (i % 2 ? 1 : -1));
      EXPECT_EQ(compareWithOracle(kernel, operands, 4 * largestSum * 0x1p-23), "") << sum << " " << isOne;
    }
}

TEST(AttendTanhRange, ZeroCoefficients) {
  AttendKernel kernel = additive();
  for (float range : {1.0f, 100.0f}) {
    std::vector<HostArray> operands = tanhOperands(kernel, range);
    std::fill_n(operands[3].f32(), kernel.dim, 0.0f);
    operands[1].f32()[3] = std::numeric_limits<float>::infinity();
    EXPECT_EQ(compareWithOracle(kernel, operands), "") << range;
  }
}

TEST(AttendTanhRange, NanAndInfinity) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  for (int tensor : {0, 1, 3})
    for (float value : {nan, infinity, -infinity}) {
      AttendKernel kernel = additive();
      std::vector<HostArray> operands = tanhOperands(kernel);
      operands[tensor].f32()[5] = value;
      EXPECT_EQ(compareWithOracle(kernel, operands), "") << tensor << " " << value;
    }
}

} // namespace
} // namespace attnc
