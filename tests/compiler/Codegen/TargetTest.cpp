#include "compiler/Codegen/Target.h"
#include <gtest/gtest.h>

using namespace attnc;

static std::string errorOf(std::string_view name) {
  auto target = Target::resolve(name);
  return target ? "" : llvm::toString(target.takeError());
}

TEST(Target, LevelsHaveTheirVectors) {
  auto v3 = Target::resolve("x86-64-v3"), v4 = Target::resolve("x86-64-v4");
  ASSERT_TRUE(bool(v3));
  ASSERT_TRUE(bool(v4));
  EXPECT_EQ(v3->f32Lanes, 8);
  EXPECT_EQ(v3->vectorRegisters, 16);
  EXPECT_FALSE(v3->hasAvx512);
  EXPECT_EQ(v4->f32Lanes, 16);
  EXPECT_EQ(v4->vectorRegisters, 32);
  EXPECT_TRUE(v4->hasAvx512);
}

TEST(Target, NativeAndProcessorNamesResolve) {
  EXPECT_EQ(errorOf("native"), "");
  EXPECT_EQ(errorOf("skylake-avx512"), "");
  EXPECT_EQ(errorOf("znver3"), "");
}

TEST(Target, UnknownNameGetsAProposal) {
  EXPECT_EQ(errorOf("x86_64-v3"), "unknown target 'x86_64-v3': did you mean 'x86-64-v3'?");
  EXPECT_EQ(errorOf("nativ"), "unknown target 'nativ': did you mean 'native'?");
  EXPECT_EQ(errorOf("a-machine-of-wood"),
            "unknown target 'a-machine-of-wood': expected native, x86-64-v3, x86-64-v4, cuda or a "
            "processor name such as znver4");
}

TEST(Target, WithoutFmaIsRefused) {
  EXPECT_EQ(errorOf("x86-64-v2"),
            "target 'x86-64-v2' has no fused multiply-add, which kernels need: x86-64-v3 is the oldest "
            "level that will do");
}

TEST(Target, Devices) {
  auto any = Target::resolve("cuda"), newest = Target::resolve("cuda:sm_90a");
  ASSERT_TRUE(bool(any) && bool(newest));
  EXPECT_TRUE(any->isDevice && newest->isDevice);
  EXPECT_EQ(any->cpu, "sm_80");
  EXPECT_EQ(newest->cpu, "sm_90a");
  EXPECT_EQ(newest->host().cpu, "x86-64-v3");
  EXPECT_EQ(any->images, (std::vector<std::string>{"sm_80", "sm_90a"}));
  EXPECT_TRUE(any->has(DeviceForm::Any) && any->has(DeviceForm::Warps) && any->has(DeviceForm::WarpGroups));
  EXPECT_TRUE(newest->has(DeviceForm::WarpGroups) && !newest->has(DeviceForm::Warps));
  Target oldest = any->image("sm_80");
  EXPECT_TRUE(oldest.has(DeviceForm::Any) && oldest.has(DeviceForm::Warps) && !oldest.has(DeviceForm::WarpGroups));
  EXPECT_EQ(errorOf("cuda:sm_75"),
            "target 'cuda:sm_75' is older than sm_80, the oldest architecture that there is code for");
  EXPECT_EQ(errorOf("cuda:volta"),
            "unknown target 'cuda:volta': expected an NVIDIA architecture such as cuda:sm_80 or cuda:sm_90a");
}
