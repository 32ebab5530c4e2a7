// Tests the code of kernels on a device, and that tests detect a missing barrier. ../CPU/{Loops,Rows}Test.cpp run on
// both and compare the results with the oracle.
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "tests/compiler/Codegen/GPU/PtxText.h"
#include "tests/compiler/Codegen/GPU/WithoutWait.h"
#include "tests/support/OracleCheck.h"
#include "tests/support/Ptxas.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// Returns a kernel of y = exp(x) over a tensor.
std::string exponential(const std::string &type) {
  return fmt::format(R"(func.func private @k(%x: {0}) -> {0} attributes {{attn.kernel = "loops"}} {{
      %c0 = arith.constant 0 : index
      {1}
      %r = linalg.generic {{indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>],
                           iterator_types = ["parallel"]}} ins(%x : {0}) outs(%init : {0}) {{
      ^bb0(%a: f32, %o: f32):
        %y = math.exp %a : f32
        linalg.yield %y : f32
      }} -> {0}
      return %r : {0}
    }})",
                     type,
                     type == "tensor<?xf32>"
                         ? "%n = tensor.dim %x, %c0 : tensor<?xf32>\n %init = tensor.empty(%n) : tensor<?xf32>"
                         : "%init = tensor.empty() : " + type);
}

/// Returns a kernel that subtracts each row's largest element and sums the squares of the differences.
std::string centred(int64_t rows, int64_t length) {
  std::string row = fmt::format("tensor<{}x{}xf32>", rows, length), scalar = fmt::format("tensor<{}xf32>", rows);
  return fmt::format(R"(func.func private @k(%x: {0}) -> ({0}, {1}) attributes {{attn.kernel = "rows"}} {{
      %low = arith.constant 0xFF800000 : f32
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : {1}
      %f = tensor.empty() : {0}
      %lows = linalg.fill ins(%low : f32) outs(%e : {1}) -> {1}
      %zeros = linalg.fill ins(%zero : f32) outs(%e : {1}) -> {1}
      %largest = linalg.generic {{indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
                                 iterator_types = ["parallel", "reduction"]}} ins(%x : {0}) outs(%lows : {1}) {{
      ^bb0(%v: f32, %o: f32):
        %y = arith.maximumf %o, %v : f32
        linalg.yield %y : f32
      }} -> {1}
      %rest = linalg.generic {{indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>,
                                               affine_map<(a, b) -> (a, b)>],
                              iterator_types = ["parallel", "parallel"]}} ins(%x, %largest : {0}, {1}) outs(%f : {0}) {{
      ^bb0(%v: f32, %m: f32, %o: f32):
        %y = arith.subf %v, %m : f32
        linalg.yield %y : f32
      }} -> {0}
      %squares = linalg.generic {{indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
                                 iterator_types = ["parallel", "reduction"]}} ins(%rest : {0}) outs(%zeros : {1}) {{
      ^bb0(%v: f32, %o: f32):
        %s = arith.mulf %v, %v : f32
        %y = arith.addf %o, %s : f32
        linalg.yield %y : f32
      }} -> {1}
      return %rest, %squares : {0}, {1}
    }})",
                     row, scalar);
}

/// Returns a kernel that sums all elements in one block.
std::string total(int64_t length) {
  return fmt::format(R"(func.func private @k(%x: tensor<{0}xf32>) -> tensor<f32> attributes {{attn.kernel = "loops"}} {{
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<f32>
      %init = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
      %r = linalg.generic {{indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> ()>],
                           iterator_types = ["reduction"]}} ins(%x : tensor<{0}xf32>) outs(%init : tensor<f32>) {{
      ^bb0(%a: f32, %o: f32):
        %y = arith.addf %o, %a : f32
        linalg.yield %y : f32
      }} -> tensor<f32>
      return %r : tensor<f32>
    }})",
                     length);
}

std::string differenceOnDevice(const std::string &kernel, const std::vector<HostArray> &inputs,
                               const std::vector<std::vector<int64_t>> &results) {
  OracleCheck check{kernel, inputs, results};
  check.target = "cuda";
  return differenceFromOracle(check);
}

std::string ptxOf(const std::string &kernel, std::string_view target = "cuda") {
  KernelRunner runner(kernel, *createGpuEmitter(), target);
  return runner ? runner.ptx() : runner.message();
}

TEST(DeviceKernels, PointwiseReadsAndWritesWholeAccesses) {
  for (int64_t size : {1, 3, 4, 1023, 1024, 1025, 4096})
    for (std::string type : {std::string("tensor<?xf32>"), fmt::format("tensor<{}xf32>", size)})
      EXPECT_EQ(differenceOnDevice(exponential(type), {HostArray::random({size}, 1)}, {{size}}), "") << type << size;
  std::string whole = ptxOf(exponential("tensor<4096xf32>"));
  EXPECT_EQ(count(whole, "ld.global.nc.v4"), 1) << whole;
  EXPECT_EQ(count(whole, "st.global.v4"), 1) << whole;
  EXPECT_EQ(count(whole, "ld.global"), 1) << whole;
}

TEST(DeviceKernels, TextIsForTheArchitecture) {
  std::string kernel = exponential("tensor<64xf32>"), newest = ptxOf(kernel, "cuda:sm_90a"), oldest = ptxOf(kernel);
  EXPECT_EQ(count(oldest, ".target sm_80\n"), 1);
  EXPECT_EQ(count(newest, ".target sm_90a\n"), 1);
  EXPECT_EQ(count(oldest, ".visible .entry k("), 1);
  EXPECT_EQ(count(oldest, ".reqntid 256, 1, 1"), 1) << oldest;
  EXPECT_EQ(count(oldest, ".extern"), 0);
}

TEST(DeviceKernels, AssembleWithoutSpills) {
  if (!hasPtxas())
    GTEST_SKIP() << "this machine has no ptxas";
  for (const std::string &kernel : {exponential("tensor<?xf32>"), centred(8, 1024), centred(3, 8192), total(1000)})
    for (std::string architecture : {"sm_80", "sm_90a"})
      EXPECT_EQ(ptxasFault(ptxOf(kernel, "cuda:" + architecture), architecture), "") << kernel;
}

TEST(DeviceKernels, AWarpHasARow) {
  for (int64_t length : {1, 31, 128, 130, 4096})
    for (int64_t rows : {1, 8, 11})
      EXPECT_EQ(
          differenceOnDevice(centred(rows, length), {HostArray::random({rows, length}, 1)}, {{rows, length}, {rows}}),
          "")
          << rows << " rows of " << length;
  std::string ptx = ptxOf(centred(8, 1024));
  EXPECT_GT(count(ptx, "ld.global.nc.v4"), 0) << ptx;
  EXPECT_GT(count(ptx, "shfl.sync.bfly"), 0);
  EXPECT_EQ(count(ptx, "bar.sync"), 0);
  EXPECT_EQ(count(ptx, ".shared"), 0);
}

TEST(DeviceKernels, ABlockHasALongRow) {
  for (int64_t length : {4097, 5000, 8192})
    EXPECT_EQ(differenceOnDevice(centred(3, length), {HostArray::random({3, length}, 1)}, {{3, length}, {3}}), "")
        << length;
  std::string ptx = ptxOf(centred(3, 8192));
  EXPECT_GT(count(ptx, ".shared"), 0);
  EXPECT_GT(count(ptx, "barrier.sync") + count(ptx, "bar.sync"), 0) << ptx;
}

TEST(DeviceKernels, ABlockHasTheOnlySum) {
  for (int64_t length : {1, 100, 256, 1000, 4096})
    EXPECT_EQ(differenceOnDevice(total(length), {HostArray::random({length}, 1)}, {{}}), "") << length;
}

TEST(DeviceKernels, EveryWaitIsNeeded) {
  struct Case {
    std::string kernel;
    HostArray input;
    std::vector<std::vector<int64_t>> results;
  };
  for (const Case &each : {Case{centred(2, 8192), HostArray::random({2, 8192}, 1), {{2, 8192}, {2}}},
                           Case{total(1000), HostArray::random({1000}, 1), {{}}}})
    expectWaitsAreNeeded(each.kernel, {each.input}, each.results);
}

TEST(DeviceKernels, Refusals) {
  KernelRunner gradient(
      R"(func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {attn.kernel = "attend_gradient"} {
      return %x : tensor<4xf32>
    })",
      *createGpuEmitter(), "cuda");
  EXPECT_EQ(gradient.message(), "gpu does not take this kernel: kernels of kind 'attend_gradient' have no device code");
}

} // namespace
} // namespace attnc
