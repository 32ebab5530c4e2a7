// Compares gradients of each normaliser under masks, and of the operands of a sink, with the oracle.
#include "tests/compiler/Codegen/CPU/AttendGradientKernels.h"
#include "tests/compiler/Codegen/CPU/NormaliserKernels.h"
#include <gtest/gtest.h>
#include <limits>

namespace attnc {
namespace {

AttendGradientKernel kernelOf(const NormaliserCase &each, const std::string &mask) {
  AttendGradientKernel kernel;
  kernel.dim = 20;
  kernel.valueDim = 13;
  setCase(kernel, each, mask);
  if (!each.sink.empty())
    kernel.of = {{"%sinks", "tensor<2xf32>"}};
  return kernel;
}

void expectOracle(const NormaliserCase &each, AttendGradientKernel kernel,
                  std::initializer_list<std::pair<int64_t, int64_t>> sizes) {
  ComparedKernel compiled(kernel.gradientText());
  for (auto [queries, keys] : sizes) {
    kernel.queries = queries;
    kernel.keys = keys;
    EXPECT_EQ(compareGradient(compiled, kernel, exactOperands(kernel), 4e-5), "")
        << each.name << ", " << queries << " queries, " << keys << " keys";
  }
}

TEST(AttendGradientNormaliser, AgreesWithTheOracle) {
  for (const NormaliserCase &each : normaliserCases())
    for (const MaskCase &mask : maskCases()) {
      SCOPED_TRACE(mask.name);
      expectOracle(each, kernelOf(each, mask.mask), {{1, 1}, {3, 40}, {50, 83}, {64, 32}});
    }
}

TEST(AttendGradientNormaliser, ThroughWeightsThatAreNotLinear) {
  for (const NormaliserCase &each : normaliserCases()) {
    AttendGradientKernel kernel = kernelOf(each, "%m = arith.cmpi sle, %j, %i : index");
    kernel.weight = "%w0 = arith.mulf %p, %p : f32 %w = arith.addf %w0, %tenth : f32";
    expectOracle(each, kernel, {{30, 83}});
  }
}

TEST(AttendGradientNormaliser, SinkInEveryForm) {
  NormaliserCase each = normaliserCases()[1];
  for (const char *schedule : {"tile_q = 24 : i64", "form = \"pairs\""})
    for (bool hasLseCotangent : {false, true})
      for (const char *mask : {"", "%m = arith.cmpi slt, %j, %i : index"}) { // the first row is empty
        AttendGradientKernel kernel = kernelOf(each, mask);
        kernel.schedule = schedule;
        kernel.hasLseCotangent = hasLseCotangent;
        expectOracle(each, kernel, {{5, 1}, {50, 83}, {70, 600}});
      }
}

TEST(AttendGradientNormaliser, RowsWithoutKeysYieldZeros) {
  for (const NormaliserCase &each : normaliserCases())
    expectOracle(each,
                 kernelOf(each, "%x = arith.constant 20 : index %y = arith.cmpi sgt, %i, %x : index "
                                "%z = arith.cmpi sle, %j, %i : index %m = arith.andi %y, %z : i1"),
                 {{30, 83}});
}

} // namespace
} // namespace attnc
