#include "compiler/Codegen/Target/Target.h"
#include "attn/processor.h"
#include "compiler/Codegen/Target/ProcessorFeatures.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

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
  EXPECT_EQ(v3->isa->name, "AVX2");
  EXPECT_EQ(v4->f32Lanes, 16);
  EXPECT_EQ(v4->vectorRegisters, 32);
  EXPECT_EQ(v4->isa->name, "AVX-512");
}

TEST(Target, ProcessorsOfOneInstructionSetDifferInPrefetches) {
  auto distance = [](std::string_view name) {
    const Isa *isa = llvm::cantFail(Target::resolve(name)).isa;
    EXPECT_EQ(isa->name, "AVX-512");
    return isa->prefetch.keyValueCache;
  };
  EXPECT_EQ(distance("znver4"), 2);
  EXPECT_EQ(distance("znver5"), 2);
  EXPECT_EQ(distance("sapphirerapids"), 1);
  EXPECT_EQ(distance("x86-64-v4"), 1);
}

TEST(Target, NativeAndProcessorNamesResolve) {
  EXPECT_EQ(errorOf("native"), "");
  EXPECT_EQ(errorOf("skylake-avx512"), "");
  EXPECT_EQ(errorOf("znver3"), "");
}

static std::vector<std::string> featuresOf(std::string_view name) {
  uint64_t bits = processorFeatures(llvm::cantFail(Target::resolve(name)));
  std::vector<std::string> names;
  for (int number = 0; number < 64; ++number)
    if (bits >> number & 1)
      names.push_back(attn_processor_feature_name(number));
  return names;
}

TEST(Target, HasTheFeaturesThatItsCodeNeeds) {
  const std::vector<std::string> v3 = {"sse3", "ssse3", "fma", "cx16", "sse4.1", "sse4.2", "movbe", "popcnt",
                                       "avx",  "f16c",  "bmi", "avx2", "bmi2",   "sahf",   "lzcnt"};
  EXPECT_EQ(featuresOf("x86-64-v3"), v3);
  EXPECT_EQ(featuresOf("x86-64-v3:+gfni,-movbe").size(), v3.size());
  EXPECT_THAT(featuresOf("x86-64-v4"), testing::IsSupersetOf(v3));
  EXPECT_THAT(featuresOf("x86-64-v4"),
              testing::IsSupersetOf({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}));
  EXPECT_THAT(featuresOf("bdver4"), testing::IsSupersetOf({"fma4", "xop", "tbm", "sse4a", "avx2", "bmi2"}));
  EXPECT_THAT(featuresOf("knl"), testing::Contains("avx512f"));
  EXPECT_THAT(featuresOf("diamondrapids"), testing::IsSupersetOf({"avx10.2", "egpr", "ndd"}));
  EXPECT_EQ(featuresOf("cuda"), v3);
}

TEST(Target, NativeHasTheFeaturesThatTheRuntimeFinds) {
  EXPECT_EQ(processorFeatures(llvm::cantFail(Target::resolve("native"))), attn_processor_features());
}

/// Each feature of LLVM is in the table of attn/processor.h, unless LLVM never generates code for it by itself.
TEST(Target, KnowsEveryFeatureOfEveryProcessor) {
  std::set<std::string> known;
  for (int number = 0; number < 64; ++number)
    if (const char *name = attn_processor_feature_name(number))
      known.insert(name);
  const std::set<std::string> ofAll = {"cmov", "cx8", "fxsr", "mmx", "sse", "sse2", "x87"};
  const std::set<std::string> ofIntrinsics = {
      "adx",       "aes",        "amx-avx512", "amx-bf16", "amx-complex", "amx-fp16",
      "amx-fp8",   "amx-int8",   "amx-movrs",  "amx-tf32", "amx-tile",    "avx512vp2intersect",
      "cldemote",  "clflushopt", "clwb",       "clzero",   "crc32",       "enqcmd",
      "fsgsbase",  "hreset",     "invpcid",    "kl",       "lwp",         "movdir64b",
      "movdiri",   "movrs",      "mwaitx",     "pconfig",  "pku",         "prefetchi",
      "prfchw",    "ptwrite",    "rdpid",      "rdpru",    "rdrnd",       "rdseed",
      "serialize", "sgx",        "sha",        "sha512",   "shstk",       "sm3",
      "sm4",       "tsxldtrk",   "uintr",      "usermsr",  "vaes",        "waitpkg",
      "wbnoinvd",  "widekl",     "xsave",      "xsavec",   "xsaveopt",    "xsaves"};
  llvm::SmallVector<llvm::StringRef> processors, features;
  llvm::X86::fillValidCPUArchList(processors, /*Only64Bit=*/true);
  for (llvm::StringRef processor : processors) {
    features.clear();
    llvm::X86::getFeaturesForCPU(processor, features);
    for (llvm::StringRef feature : features)
      EXPECT_EQ(known.count(feature.str()) + ofAll.count(feature.str()) + ofIntrinsics.count(feature.str()), 1u)
          << processor.str() << " has " << feature.str();
  }
}

TEST(Target, UnknownNameGetsAProposal) {
  EXPECT_EQ(errorOf("x86_64-v3"), "unknown target 'x86_64-v3': did you mean 'x86-64-v3'?");
  EXPECT_EQ(errorOf("nativ"), "unknown target 'nativ': did you mean 'native'?");
  EXPECT_EQ(errorOf("a-machine-of-wood"),
            "unknown target 'a-machine-of-wood': expected native, x86-64-v3, x86-64-v4, cuda or a "
            "processor name such as znver4");
}

TEST(Target, WithoutNeededFeaturesIsRefused) {
  std::string rest = ", which kernels need: x86-64-v3 is the lowest level that has all needed features";
  EXPECT_EQ(errorOf("x86-64-v2"), "target 'x86-64-v2' lacks fma and avx2" + rest);
  EXPECT_EQ(errorOf("bdver2"), "target 'bdver2' lacks avx2" + rest);
}

TEST(Target, Devices) {
  auto any = Target::resolve("cuda"), newest = Target::resolve("cuda:sm_90a");
  ASSERT_TRUE(bool(any) && bool(newest));
  EXPECT_TRUE(any->isDevice && newest->isDevice);
  EXPECT_EQ(any->cpu, "sm_80");
  EXPECT_EQ(newest->cpu, "sm_90a");
  EXPECT_EQ(newest->host().cpu, "x86-64-v3");
  EXPECT_EQ(any->images, (std::vector<std::string>{"sm_80", "sm_90a"}));
  EXPECT_TRUE(any->has(DeviceVariant::Any) && any->has(DeviceVariant::Warps) && any->has(DeviceVariant::WarpGroups));
  EXPECT_TRUE(newest->has(DeviceVariant::WarpGroups) && !newest->has(DeviceVariant::Warps));
  Target oldest = any->image("sm_80");
  EXPECT_TRUE(oldest.has(DeviceVariant::Any) && oldest.has(DeviceVariant::Warps) &&
              !oldest.has(DeviceVariant::WarpGroups));
  EXPECT_EQ(errorOf("cuda:sm_75"), "target 'cuda:sm_75' is older than sm_80, the oldest supported architecture");
  EXPECT_EQ(errorOf("cuda:volta"),
            "unknown target 'cuda:volta': expected an NVIDIA architecture such as cuda:sm_80 or cuda:sm_90a");
}
