// Compares terms that are scattered to rows of a table with the oracle, for each number of columns with sweeps of its
// own.
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "tests/support/OracleCheck.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// The gradient of an embedding, with repeated rows, in order.
std::string gradient(int64_t columns) {
  return fmt::format(R"(
    func.func private @k(%x: tensor<7x{0}xf32>, %at: tensor<?x?xi32>, %y: tensor<?x?x{0}xf32>) -> tensor<7x{0}xf32>
        attributes {{attn.kernel = "loops"}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %columns = arith.constant {0} : index
      %m = tensor.dim %at, %c0 : tensor<?x?xi32>
      %n = tensor.dim %at, %c1 : tensor<?x?xi32>
      %r = attn.scatter_add (%i, %j, %c) in (%m, %n, %columns) into(%x : tensor<7x{0}xf32>) {{
        %row = tensor.extract %at[%i, %j] : tensor<?x?xi32>
        %to = arith.index_cast %row : i32 to index
        %term = tensor.extract %y[%i, %j, %c] : tensor<?x?x{0}xf32>
        attn.term %term at[%to, %c] : f32
      }}
      return %r : tensor<7x{0}xf32>
    }})",
                     columns);
}

TEST(LoopsScatter, AddsRowsOfEachWidth) {
  using Shape = std::vector<int64_t>;
  for (int64_t columns : {1, 5, 16, 24, 63, 64, 70, 128, 192})
    for (Shape rows : {Shape{2, 5}, {1, 1}, {3, 0}, {0, 2}}) {
      HostArray at(rows, ElementKind::I32);
      for (int64_t i = 0; i < at.size(); ++i)
        at.i32()[i] = int32_t((i * 5) % 7 / 2);
      for (std::string target : {"native", "x86-64-v3"}) {
        OracleCheck oracle{gradient(columns),
                           {HostArray::random({7, columns}, 1), at, HostArray::random({rows[0], rows[1], columns}, 2)},
                           {{7, columns}},
                           {}};
        oracle.target = target;
        EXPECT_EQ(differenceFromOracle(oracle), "") << target << ", " << columns << " columns of " << rows[0] << " x "
                                                    << rows[1];
      }
    }
}

TEST(LoopsScatter, InPlace) {
  std::string text = R"(func.func private @k(%x: tensor<5x70xf32> {attn.in_place = 0}, %at: tensor<3xi32>,
        %y: tensor<3x70xf32>) -> tensor<5x70xf32> attributes {attn.kernel = "loops"} {
      %c3 = arith.constant 3 : index
      %c70 = arith.constant 70 : index
      %r = attn.scatter_add (%i, %j) in (%c3, %c70) into(%x : tensor<5x70xf32>) {
        %row = tensor.extract %at[%i] : tensor<3xi32>
        %to = arith.index_cast %row : i32 to index
        %term = tensor.extract %y[%i, %j] : tensor<3x70xf32>
        attn.term %term at[%to, %j] : f32
      }
      return %r : tensor<5x70xf32>
    })";
  KernelRunner runner(text, *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  HostArray x = HostArray::random({5, 70}, 1), at = HostArray::of({3}, std::vector<int32_t>{4, 1, 4}),
            y = HostArray::random({3, 70}, 2);
  for (int shared : {-1, 0}) {
    HostArray found = runner.run({x, at, y}, {x.shape}, {.inPlaceOperand = shared})[0];
    for (int64_t j = 0; j < 70; ++j) {
      ASSERT_EQ(found.f32()[j], x.f32()[j]);
      ASSERT_EQ(found.f32()[70 + j], x.f32()[70 + j] + y.f32()[70 + j]);
      ASSERT_EQ(found.f32()[280 + j], (x.f32()[280 + j] + y.f32()[j]) + y.f32()[140 + j]);
    }
  }
}

/// Subscripts are loops or constants: sums over the other loops, also in place, in several chunks.
TEST(LoopsScatter, OfSums) {
  std::string text = R"(func.func private @k(%x: tensor<?x2x3xf32> {attn.in_place = 0}, %f: tensor<24xf32>,
        %y: tensor<?x24x7x2xf32>) -> tensor<?x2x3xf32> attributes {attn.kernel = "loops"} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c7 = arith.constant 7 : index
      %c24 = arith.constant 24 : index
      %m = tensor.dim %x, %c0 : tensor<?x2x3xf32>
      %r = attn.scatter_add (%b, %j, %u, %i) in (%m, %c24, %c7, %c2) into(%x : tensor<?x2x3xf32>) {
        %a = tensor.extract %f[%j] : tensor<24xf32>
        %c = tensor.extract %y[%b, %j, %u, %i] : tensor<?x24x7x2xf32>
        %term = arith.mulf %a, %c : f32
        attn.term %term at[%b, %i, %c1] : f32
      }
      return %r : tensor<?x2x3xf32>
    })";
  KernelRunner runner(text, *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  EXPECT_EQ(runner.code().phases[0].chunks.evaluate({300, 300, 300}), 4);
  for (int64_t batch : {0, 1, 2, 300})
    for (int shared : {-1, 0}) {
      HostArray x = HostArray::random({batch, 2, 3}, 1), f = HostArray::random({24}, 2),
                y = HostArray::random({batch, 24, 7, 2}, 3);
      HostArray found = runner.run({x, f, y}, {x.shape}, {.inPlaceOperand = shared})[0];
      for (int64_t b = 0; b < batch; ++b)
        for (int64_t i = 0; i < 2; ++i) {
          double sum = x.f32()[6 * b + 3 * i + 1];
          for (int64_t j = 0; j < 24; ++j)
            for (int64_t u = 0; u < 7; ++u)
              sum += double(f.f32()[j]) * y.f32()[((b * 24 + j) * 7 + u) * 2 + i];
          ASSERT_EQ(found.f32()[6 * b + 3 * i], x.f32()[6 * b + 3 * i]);
          ASSERT_NEAR(found.f32()[6 * b + 3 * i + 1], sum, 1e-4);
          ASSERT_EQ(found.f32()[6 * b + 3 * i + 2], x.f32()[6 * b + 3 * i + 2]);
        }
    }
}

/// A subscript that is an argument of the kernel, such as the step of a scan, is no loop.
TEST(LoopsScatter, AtAnArgumentOfTheKernel) {
  const char *text = R"(func.func private @k(%x: tensor<3x?xf32>, %y: tensor<?x2xf32>, %step: index)
        -> tensor<3x?xf32> attributes {attn.kernel = "loops"} {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %n = tensor.dim %x, %c1 : tensor<3x?xf32>
      %r = attn.scatter_add (%i, %j) in (%n, %c2) into(%x : tensor<3x?xf32>) {
        %term = tensor.extract %y[%i, %j] : tensor<?x2xf32>
        attn.term %term at[%step, %i] : f32
      }
      return %r : tensor<3x?xf32>
    })";
  for (int64_t step : {0, 1, 2})
    for (int64_t n : {1, 5, 33}) {
      OracleCheck oracle{text, {HostArray::random({3, n}, 1), HostArray::random({n, 2}, 2)}, {{3, n}}, {step}};
      EXPECT_EQ(differenceFromOracle(oracle), "") << step << " " << n;
    }
}

} // namespace
} // namespace attnc
