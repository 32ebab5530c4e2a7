// Tests the report of ptxas on attention with tensor cores: for all forms, shapes and formulas whose results other
// tests compare, no thread spills registers, and products of warp groups are not serialised.
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "tests/compiler/Codegen/CPU/AttendMasks.h"
#include "tests/compiler/Codegen/CPU/AttendMechanisms.h"
#include "tests/compiler/Codegen/GPU/NarrowAttend.h"
#include "tests/support/Ptxas.h"

namespace attnc {
namespace {

/// With many heads TMA copies the tiles of warp groups; otherwise threads do.
struct Device {
  std::string name, architecture;
  bool isOfManyHeads;
};
const Device devices[] = {{"Warps", "sm_80", false}, {"Copying", "sm_90a", false}, {"Fetching", "sm_90a", true}};

std::string faultOf(AttendKernel kernel, const Device &device, ElementKind element) {
  kernel.hasDynamicHeads = device.isOfManyHeads;
  kernel.queries = 128;
  kernel.hasStaticQueries = true; // too many to split the keys
  KernelRunner runner(narrowText(kernel, element), *createGpuEmitter(), "cuda:" + device.architecture);
  return runner ? ptxasFault(runner.ptx(), device.architecture) : runner.message();
}

class AttendAssembly : public testing::TestWithParam<Device> {
protected:
  void SetUp() override {
    if (!hasPtxas())
      GTEST_SKIP() << "this machine has no ptxas";
  }
  void expectNoFault(const AttendKernel &kernel, ElementKind element) {
    for (auto [dim, valueDim] :
         {std::pair<int64_t, int64_t>{64, 64}, {128, 128}, {192, 128}, {192, 192}, {256, 32}, {256, 256}}) {
      AttendKernel shaped = kernel;
      shaped.dim = dim, shaped.valueDim = valueDim;
      EXPECT_EQ(faultOf(shaped, GetParam(), element), "") << dim << ", " << valueDim;
    }
  }
};

TEST_P(AttendAssembly, Causal) {
  AttendKernel kernel;
  kernel.mask = causalMask;
  kernel.yields = "\"value\", \"lse\"";
  expectNoFault(kernel, ElementKind::BF16);
}

TEST_P(AttendAssembly, CappedWithASink) {
  AttendKernel kernel;
  kernel.captured = ", %sinks: tensor<?xf32>";
  kernel.constants = "%cap = arith.constant 3.0 : f32";
  kernel.score = "%y0 = arith.mulf %s, %scale : f32 %y1 = arith.divf %y0, %cap : f32 %y2 = math.tanh %y1 : f32 "
                 "%y = arith.mulf %y2, %cap : f32";
  kernel.sink = "%z = tensor.extract %sinks[%h] : tensor<?xf32>";
  expectNoFault(kernel, ElementKind::F16);
}

TEST_P(AttendAssembly, Biased) {
  AttendKernel kernel;
  kernel.captured = ", %bias: tensor<?x?x?xf32>";
  kernel.score = "%y0 = arith.mulf %s, %scale : f32 %y1 = tensor.extract %bias[%h, %i, %j] : tensor<?x?x?xf32> "
                 "%y = arith.addf %y0, %y1 : f32";
  expectNoFault(kernel, ElementKind::BF16);
}

/// Warp groups compute alike for either kind of copies: each mechanism is assembled with one number of features per
/// form.
TEST_P(AttendAssembly, OfEachMechanism) {
  std::vector<Mechanism> all = maskMechanisms();
  llvm::append_range(all, scoreMechanisms());
  for (auto [number, mechanism] : llvm::enumerate(all)) {
    AttendKernel kernel = mechanism.kernel;
    int64_t ofWarpGroups = (number + GetParam().isOfManyHeads) % 2 == 0 ? 128 : 256;
    for (int64_t features : {128, 256}) {
      if (GetParam().architecture == "sm_90a" && features != ofWarpGroups)
        continue;
      kernel.dim = kernel.valueDim = features;
      if (kernel.yields == "\"value\"") // kernels with other results do not use tensor cores
        EXPECT_EQ(faultOf(kernel, GetParam(), ElementKind::BF16), "") << mechanism.name << ", " << features;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, AttendAssembly, testing::ValuesIn(devices),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace attnc
