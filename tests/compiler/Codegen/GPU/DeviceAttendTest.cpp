// Compares attention on a device with the oracle, for the mechanisms, masks and normalisers of the processor's tests,
// and tests properties of its code.
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tests/compiler/Codegen/CPU/AttendMasks.h"
#include "tests/compiler/Codegen/CPU/AttendMechanisms.h"
#include "tests/compiler/Codegen/CPU/NormaliserKernels.h"
#include "tests/compiler/Codegen/GPU/WithoutWait.h"
#include "tests/support/FloatLimits.h"
#include "tests/support/OracleCheck.h"
#include "tests/support/Ptxas.h"
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace attnc {
namespace {

/// A number of values that tensor cores do not accept.
constexpr int64_t valuesOfGeneral = 36;

AttendKernel generalKernel() {
  AttendKernel kernel;
  kernel.valueDim = valuesOfGeneral;
  return kernel;
}

class DeviceAttend : public testing::TestWithParam<Mechanism> {};

/// One row; numbers of rows and keys that are no multiples of a warp; several blocks of keys.
TEST_P(DeviceAttend, AgreesWithTheOracle) {
  AttendKernel kernel = GetParam().kernel;
  kernel.valueDim = valuesOfGeneral;
  expectOracleAt(GetParam(), kernel, {{1, 1}, {5, 32}, {70, 90}, {33, 150}}, "cuda");
}

INSTANTIATE_TEST_SUITE_P(Masks, DeviceAttend, testing::ValuesIn(maskMechanisms()), mechanismName);
INSTANTIATE_TEST_SUITE_P(Scores, DeviceAttend, testing::ValuesIn(scoreMechanisms()), mechanismName);

std::string difference(const AttendKernel &kernel, const std::vector<HostArray> &operands,
                       double tolerance = attendTolerance) {
  return compareWithOracle(kernel, operands, tolerance, "cuda");
}

/// Returns the kernels of the normaliser cases except entmax, which the device rejects.
std::vector<NormaliserCase> casesOnDevice() {
  std::vector<NormaliserCase> cases = normaliserCases();
  llvm::erase_if(cases, [](const NormaliserCase &each) { return each.normaliser.rfind("entmax", 0) == 0; });
  return cases;
}

AttendKernel kernelOf(const NormaliserCase &each, const std::string &mask) {
  AttendKernel kernel;
  kernel.dim = 20;
  kernel.valueDim = 13;
  setCase(kernel, each, mask);
  return kernel;
}

TEST(DeviceAttendNormaliser, AgreesWithTheOracle) {
  for (const NormaliserCase &each : casesOnDevice())
    for (const MaskCase &mask : maskCases()) {
      AttendKernel kernel = kernelOf(each, mask.mask);
      EXPECT_EQ(difference(kernel, exactOperands(kernel), 1e-5), "") << each.name << ", " << mask.name;
    }
}

TEST(DeviceAttendNormaliser, WeightsAreAResult) {
  for (const NormaliserCase &each : casesOnDevice()) {
    AttendKernel kernel = kernelOf(each, causalMask);
    kernel.yields = "\"value\", \"weights\"";
    EXPECT_EQ(difference(kernel, exactOperands(kernel), 1e-5), "") << each.name;
    kernel.yields = "\"weights\"";
    kernel.mask = "";
    EXPECT_EQ(difference(kernel, exactOperands(kernel), 1e-5), "") << each.name << " without values";
  }
}

TEST(DeviceAttendNormaliser, WeightsOfAFormulaThatIsNotLinear) {
  for (const NormaliserCase &each : casesOnDevice()) {
    AttendKernel kernel = kernelOf(each, causalMask);
    kernel.weight = "%w0 = arith.mulf %p, %p : f32 %w = arith.addf %w0, %tenth : f32";
    EXPECT_EQ(difference(kernel, exactOperands(kernel), 1e-5), "") << each.name;
  }
}

/// Returns a kernel of the entropy and the top keys of rows with no, few or all keys unmasked; scores are exact in f32.
std::string statisticsKernel(int64_t top, const std::string &sink) {
  return fmt::format(R"(func.func private @k(%q: tensor<?x4xf32>, %k: tensor<?x4xf32>, %gate: tensor<?xf32>)
      -> (tensor<?xf32>, tensor<?xf32>, tensor<?x{0}xi32>, tensor<?x{0}xf32>) attributes {{attn.kernel = "attend"}} {{
    %c0 = arith.constant 0 : index %c4 = arith.constant 4 : index %c9 = arith.constant 9 : index
    %N = tensor.dim %q, %c0 : tensor<?x4xf32> %M = tensor.dim %k, %c0 : tensor<?x4xf32>
    %r:4 = attn.attend softmax outer(%N) keys(%M) values() yields ["lse", "entropy", "top", "top_weights"]
      score(%i, %j) {{
        %s = attn.reduce add (%d) in (%c4) {{
          %a = tensor.extract %q[%i, %d] : tensor<?x4xf32>
          %b = tensor.extract %k[%j, %d] : tensor<?x4xf32>
          %t = arith.mulf %a, %b : f32
          attn.yield %t : f32 }} : f32
        attn.yield %s : f32 }}
      mask(%i, %j) {{
        %w = arith.muli %i, %c9 : index
        %m = arith.cmpi slt, %j, %w : index
        attn.yield %m : i1 }}
      weight(%p: f32, %i, %j) {{
        %g = tensor.extract %gate[%j] : tensor<?xf32>
        %w = arith.mulf %p, %g : f32
        attn.yield %w : f32 }}
      {1}
      {{top = {0} : i64}} : tensor<?xf32>, tensor<?xf32>, tensor<?x{0}xi32>, tensor<?x{0}xf32>
    return %r#0, %r#1, %r#2, %r#3 : tensor<?xf32>, tensor<?xf32>, tensor<?x{0}xi32>, tensor<?x{0}xf32> }})",
                     top, sink);
}

TEST(DeviceAttend, EntropyAndTheLargestKeys) {
  std::string sink = "sink(%i) { %z = arith.constant 0.5 : f32 attn.yield %z : f32 }";
  for (int64_t top : {1, 3, 20})
    for (const std::string &with : {std::string(), sink}) {
      OracleCheck check{statisticsKernel(top, with), {}, {{17}, {17}, {17, top}, {17, top}}};
      check.inputs = {HostArray::random({17, 4}, 1), HostArray::random({130, 4}, 2), HostArray::random({130}, 3)};
      for (int number : {0, 1})
        for (int64_t i = 0; i < check.inputs[number].size(); ++i)
          check.inputs[number].f32()[i] = std::round(check.inputs[number].f32()[i] * 4) / 4;
      check.target = "cuda";
      EXPECT_EQ(differenceFromOracle(check), "") << top << with;
    }
}

TEST(DeviceAttend, HeadSizes) {
  for (auto [dim, valueDim] :
       {std::pair<int64_t, int64_t>{17, 16}, {33, 33}, {100, 7}, {128, 384}, {68, 96}, {260, 256}, {8, 300}, {1, 1}}) {
    AttendKernel kernel;
    kernel.dim = dim;
    kernel.valueDim = valueDim;
    kernel.queries = 9;
    EXPECT_EQ(difference(kernel, kernel.operands()), "") << dim << " " << valueDim;
  }
}

TEST(DeviceAttend, FewQueries) {
  for (int64_t queries : {1, 2, 3}) {
    AttendKernel kernel = generalKernel();
    kernel.hasStaticQueries = true;
    kernel.queries = queries;
    kernel.keys = 200;
    EXPECT_EQ(difference(kernel, kernel.operands()), "") << queries;
  }
}

TEST(DeviceAttend, NoQueriesAndNoKeys) {
  AttendKernel kernel = generalKernel();
  kernel.yields = "\"value\", \"lse\"";
  kernel.keys = 0;
  EXPECT_EQ(difference(kernel, kernel.operands()), "");
  kernel.queries = 0;
  EXPECT_EQ(difference(kernel, kernel.operands()), "");
}

TEST(DeviceAttend, ValuesOfDroppedPairs) {
  for (float value : {nan, -infinity}) {
    AttendKernel kernel = generalKernel();
    kernel.mask = causalMask;
    std::vector<HostArray> operands = kernel.operands();
    std::fill_n(operands[2].f32() + 40 * kernel.valueDim, kernel.valueDim, value); // queries from 40 on attend to it
    EXPECT_EQ(difference(kernel, operands), "") << value;
  }
}

TEST(DeviceAttend, ScoresThatAreNoNumbers) {
  AttendKernel kernel = generalKernel();
  kernel.captured = ", %bias: tensor<?x?xf32>";
  kernel.score = "%y0 = tensor.extract %bias[%i, %j] : tensor<?x?xf32> %y = arith.addf %s, %y0 : f32";
  kernel.mask = causalMask;
  std::vector<HostArray> operands = kernel.operands();
  operands.push_back(HostArray::random({kernel.queries, kernel.keys}, 4, 0.5, 1));
  operands[3].f32()[20 * kernel.keys + 3] = nan;
  operands[3].f32()[21 * kernel.keys + 20] = infinity;
  operands[3].f32()[22 * kernel.keys + 40] = nan; // masked
  std::fill_n(operands[3].f32() + 23 * kernel.keys, kernel.keys, -infinity);
  EXPECT_EQ(difference(kernel, operands, 1e-4), "");
}

TEST(DeviceAttend, SubscriptsFromDataAreChecked) { expectCheckedSubscripts("cuda"); }

TEST(DeviceAttend, AssemblesWithoutSpills) {
  if (!hasPtxas())
    GTEST_SKIP() << "this machine has no ptxas";
  std::vector<AttendKernel> kernels(3, generalKernel());
  for (const AttendMaskCase &each : attendMaskCases()) {
    kernels.emplace_back(generalKernel()).mask = each.mask;
    kernels.back().captured = each.captured;
  }
  kernels[0].mask = causalMask;
  kernels[1].dim = 256, kernels[1].valueDim = 384;
  kernels[1].yields = "\"value\", \"lse\"";
  kernels[2] = kernelOf(normaliserCases().back(), causalMask);
  for (const AttendKernel &kernel : kernels)
    for (std::string architecture : {"sm_80", "sm_90a"}) {
      KernelRunner runner(kernel.text(), *createGpuEmitter(), "cuda:" + architecture);
      ASSERT_TRUE(runner) << runner.message();
      EXPECT_EQ(ptxasFault(runner.ptx(), architecture), "") << kernel.text();
    }
}

TEST(DeviceAttend, HoldsNothingThatGrows) {
  AttendKernel kernel;
  kernel.dim = 64, kernel.valueDim = 384;
  kernel.hasStaticQueries = true; // too many to split the keys
  KernelRunner runner(kernel.text(), *createGpuEmitter(), "cuda");
  ASSERT_TRUE(runner) << runner.message();
  EXPECT_EQ(runner.code().sharedBytes, SizeExpr(0));
  EXPECT_EQ(runner.code().workerBytes, SizeExpr(0));
  // Four features of a key are one access, and so are four weights.
  EXPECT_NE(runner.ptx().find("ld.global.nc.v4"), std::string::npos) << runner.ptx();
  EXPECT_NE(runner.ptx().find("ld.shared.v4"), std::string::npos);
}

/// These normalisers exchange no data between blocks of keys, so that only barriers order the threads.
TEST(DeviceAttend, EveryWaitIsNeeded) {
  for (const char *normaliser : {"ratio", "stick_breaking"}) {
    AttendKernel kernel = generalKernel();
    kernel.normaliser = normaliser;
    kernel.hasStaticQueries = true; // there is no other form
    kernel.score = "%y = arith.mulf %s, %s : f32";
    kernel.weight = "%w = arith.mulf %p, %scale : f32";
    expectWaitsAreNeeded(kernel.text(), kernel.operands(), kernel.resultShapes());
  }
}

TEST(DeviceAttend, Refusals) {
  AttendKernel kernel = kernelOf(normaliserCases()[4], "");
  KernelRunner entmax(kernel.text(), *createGpuEmitter(), "cuda");
  EXPECT_EQ(
      entmax.message(),
      "gpu does not take this kernel: its normaliser needs all scores of a row at once, which no device code stores");
}

} // namespace
} // namespace attnc
