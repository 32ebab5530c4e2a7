// Compares each normaliser with the oracle: under masks, with few, odd and many queries, in each of its forms; and
// named special rows.
#include "tests/compiler/Codegen/CPU/NormaliserKernels.h"
#include "tests/support/FloatLimits.h"
#include <gtest/gtest.h>
#include <limits>

namespace attnc {
namespace {

void expectOracle(const NormaliserCase &each, AttendKernel kernel,
                  std::initializer_list<std::pair<int64_t, int64_t>> sizes, std::string_view target = "native") {
  ComparedKernel &compiled = comparedKernel(kernel.text(), target);
  for (auto [queries, keys] : sizes) {
    kernel.queries = queries;
    kernel.keys = keys;
    EXPECT_EQ(compiled.compare(exactOperands(kernel), kernel.resultShapes(), 1e-5), "")
        << each.name << ", " << queries << " queries, " << keys << " keys";
  }
}

AttendKernel kernelOf(const NormaliserCase &each, const std::string &mask = "") {
  AttendKernel kernel;
  kernel.dim = 20;
  kernel.valueDim = 13;
  setCase(kernel, each, mask);
  return kernel;
}

TEST(AttendNormaliser, AgreesWithTheOracle) {
  for (const NormaliserCase &each : normaliserCases())
    for (const MaskCase &mask : maskCases()) {
      SCOPED_TRACE(mask.name);
      expectOracle(each, kernelOf(each, mask.mask), {{1, 1}, {3, 40}, {83, 150}, {150, 61}, {64, 256}});
    }
}

TEST(AttendNormaliser, WeightsAreAResult) {
  for (const NormaliserCase &each : normaliserCases())
    for (const char *mask : {"", "%m = arith.cmpi sle, %j, %i : index"}) {
      AttendKernel kernel = kernelOf(each, mask);
      kernel.yields = "\"value\", \"weights\"";
      expectOracle(each, kernel, {{3, 40}, {70, 150}});
    }
}

TEST(AttendNormaliser, WeightsOfAFormulaThatIsNotLinear) {
  for (const NormaliserCase &each : normaliserCases()) {
    AttendKernel kernel = kernelOf(each, "%m = arith.cmpi sle, %j, %i : index");
    kernel.weight = "%w0 = arith.mulf %p, %p : f32 %w = arith.addf %w0, %tenth : f32";
    expectOracle(each, kernel, {{3, 40}, {70, 150}});
  }
}

TEST(AttendNormaliser, NarrowVectors) {
  for (const NormaliserCase &each : normaliserCases())
    expectOracle(each, kernelOf(each, "%m = arith.cmpi sle, %j, %i : index"), {{3, 40}, {70, 150}}, "x86-64-v3");
}

/// Few queries, statically known, and many keys in several splits: in the decode form if the normaliser has one.
TEST(AttendNormaliser, FewQueriesAndManyKeys) {
  for (const NormaliserCase &each : normaliserCases()) {
    AttendKernel kernel = kernelOf(each);
    kernel.hasStaticQueries = true;
    kernel.queries = 2;
    kernel.schedule = "split_kv = 300 : i64";
    expectOracle(each, kernel, {{2, 1}, {2, 750}});
  }
}

TEST(AttendNormaliser, SinkAndItsLse) {
  NormaliserCase each = normaliserCases()[1];
  for (bool few : {false, true}) {
    AttendKernel kernel = kernelOf(each, "%m = arith.cmpi slt, %j, %i : index"); // the first row is empty
    kernel.yields = "\"value\", \"lse\"";
    kernel.hasStaticQueries = few;
    kernel.queries = few ? 3 : 70;
    expectOracle(each, kernel, {{kernel.queries, 90}, {kernel.queries, 700}});
  }
}

TEST(AttendNormaliser, SinksThatAreNoNumbers) {
  NormaliserCase each = normaliserCases()[1];
  for (bool few : {false, true})
    for (float sink : {-infinity, infinity, nan, 1e30f, -1e30f}) {
      AttendKernel kernel = kernelOf(each, "%m = arith.cmpi slt, %j, %i : index");
      kernel.yields = "\"value\", \"lse\"";
      kernel.hasStaticQueries = few;
      kernel.queries = few ? 3 : 70;
      std::vector<HostArray> operands = exactOperands(kernel);
      operands[3].f32()[0] = sink;
      EXPECT_EQ(compareWithOracle(kernel, operands, 1e-5), "") << sink << (few ? " few" : " many");
    }
}

//===------------------------------------------ special rows ------------------------------------------------------===//

/// Returns a kernel with a bias for each pair, which makes rows special.
AttendKernel biasedKernelOf(const NormaliserCase &each) {
  AttendKernel kernel = kernelOf(each, "%m = arith.cmpi sle, %j, %i : index");
  kernel.captured += ", %bias: tensor<?x?xf32>";
  std::string positive =
      each.normaliser == "ratio" ? "%y1 = arith.mulf %s, %s : f32 " : "%y1 = arith.addf %s, %zero : f32 ";
  kernel.score = positive + "%y0 = tensor.extract %bias[%i, %j] : tensor<?x?xf32> %y = arith.addf %y1, %y0 : f32";
  return kernel;
}

std::vector<HostArray> biasedOperands(const AttendKernel &kernel) {
  std::vector<HostArray> operands = exactOperands(kernel);
  HostArray bias({kernel.queries, kernel.keys});
  std::fill_n(bias.f32(), bias.size(), 1.0f);
  operands.push_back(bias);
  return operands;
}

TEST(AttendNormaliser, MinusInfinityIsAsMasked) {
  for (const NormaliserCase &each : normaliserCases()) {
    AttendKernel kernel = biasedKernelOf(each);
    kernel.yields = "\"value\", \"weights\"";
    std::vector<HostArray> operands = biasedOperands(kernel);
    for (int64_t j = 0; j < kernel.keys; ++j) {
      operands[5].f32()[30 * kernel.keys + j] = -infinity; // the whole row
      if (j % 3)
        operands[5].f32()[50 * kernel.keys + j] = -infinity;
    }
    EXPECT_EQ(compareWithOracle(kernel, operands, 1e-5), "") << each.name;
  }
}

TEST(AttendNormaliser, ADroppedValueReachesNothing) {
  for (const NormaliserCase &each : normaliserCases()) {
    AttendKernel kernel = biasedKernelOf(each);
    std::vector<HostArray> operands = biasedOperands(kernel);
    std::fill_n(operands[2].f32() + 66 * kernel.valueDim, kernel.valueDim, nan); // for the first head
    for (int64_t i = 66; i < kernel.queries; i += 2)
      operands[5].f32()[i * kernel.keys + 66] = -infinity; // earlier rows mask it; later odd rows attend to it
    EXPECT_EQ(compareWithOracle(kernel, operands, 1e-5), "") << each.name;
  }
}

TEST(AttendNormaliser, NanMakesItsRowNan) {
  for (const NormaliserCase &each : normaliserCases()) {
    AttendKernel kernel = biasedKernelOf(each);
    std::vector<HostArray> operands = biasedOperands(kernel);
    operands[5].f32()[20 * kernel.keys + 3] = nan;
    operands[5].f32()[22 * kernel.keys + 40] = nan; // masked
    EXPECT_EQ(compareWithOracle(kernel, operands, 1e-5), "") << each.name;
    kernel.yields = "\"value\", \"weights\"";
    EXPECT_EQ(compareWithOracle(kernel, operands, 1e-5), "") << each.name << ", weights";
  }
}

TEST(AttendNormaliser, InfinityIsWhatTheNormaliserSays) {
  for (const NormaliserCase &each : normaliserCases()) {
    if (each.normaliser == "none")
      continue; // a sum of infinite terms is tested below
    AttendKernel kernel = biasedKernelOf(each);
    std::vector<HostArray> operands = biasedOperands(kernel);
    operands[5].f32()[20 * kernel.keys + 3] = infinity;
    operands[5].f32()[20 * kernel.keys + 7] = infinity;
    operands[5].f32()[22 * kernel.keys + 40] = infinity; // masked
    EXPECT_EQ(compareWithOracle(kernel, operands, 1e-5), "") << each.name;
    kernel.yields = "\"value\", \"weights\"";
    EXPECT_EQ(compareWithOracle(kernel, operands, 1e-5), "") << each.name << ", weights";
  }
}

TEST(AttendNormaliser, AnInfiniteScoreIsAnInfiniteWeightUnderNone) {
  AttendKernel kernel = biasedKernelOf(normaliserCases()[3]);
  kernel.yields = "\"weights\"";
  std::vector<HostArray> operands = biasedOperands(kernel);
  operands[5].f32()[20 * kernel.keys + 3] = infinity;
  KernelRunner runner(kernel.text(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  HostArray weights = runner.run(operands, kernel.resultShapes())[0];
  for (int64_t j = 0; j < kernel.keys; ++j)
    EXPECT_EQ(std::isinf(weights.f32()[20 * kernel.keys + j]), j == 3) << j;
}

/// Thresholds of scores that are all equal, far apart, or huge.
TEST(AttendNormaliser, ScoresOfAllSizes) {
  for (const NormaliserCase &each : normaliserCases())
    for (float size : {0.0f, 0x1p-10f, 64.0f, 65536.0f}) {
      AttendKernel kernel = kernelOf(each);
      std::vector<HostArray> operands = exactOperands(kernel);
      for (int64_t i = 0; i < operands[0].size(); ++i)
        operands[0].f32()[i] *= size;
      // The spacing of floats near such scores is the error of their exponentials and powers.
      EXPECT_EQ(compareWithOracle(kernel, operands, size > 1000 ? 0.1 : 1e-4), "") << each.name << " " << size;
    }
}

} // namespace
} // namespace attnc
