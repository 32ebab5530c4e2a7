// Tests the resources of a device's processors that kernels need, by their PTX and by ptxas.
#include "compiler/Codegen/Host/DeviceResources.h"
#include "llvm/Support/raw_ostream.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char *ptx = R"(.version 7.0
.target sm_80
.address_size 64
.shared .align 16 .b8 first$x[1000];
.shared .align 16 .b8 first$y[24];
.shared .align 16 .b8 first$xy[4096];
.extern .shared .align 128 .b8 attn$block[];
.visible .entry first(
	.param .u64 p
)
.reqntid 64, 1, 1
{
	.reg .b64 %rd<3>;
	.reg .b32 %r<4>;
	ld.param.u64 %rd1, [p];
	mov.u64 %rd2, attn$block;
	ld.shared.u32 %r1, [first$x+4];
	ld.shared.u32 %r2, [first$y];
	add.s32 %r3, %r1, %r2;
	st.shared.u32 [first$x+8], %r3;
	st.global.u32 [%rd1], %r3;
	ret;
}
.visible .entry second(
	.param .u64 p
)
.reqntid 32, 1, 1
{
	ret;
}
)";

TEST(DeviceResources, SharedMemoryIsThatOfTheFunction) {
  EXPECT_EQ(staticSharedBytes(ptx, "first"), 1152) << "1008 + 24, up to where the launch's may begin";
  EXPECT_EQ(staticSharedBytes(ptx, "second"), 0);
  EXPECT_EQ(staticSharedBytes(ptx, "third"), 0);
}

TEST(DeviceResources, ReadsWhatPtxasSays) {
  std::vector<FunctionResources> found = Ptxas::read(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a$b' for 'sm_90a'
ptxas info    : Function properties for a$b
    48 bytes stack frame, 44 bytes spill stores, 40 bytes spill loads
ptxas info    : Used 168 registers, used 1 barriers, 1024 bytes smem, 400 bytes cmem[0]
ptxas info    : Compiling entry function 'c' for 'sm_90a'
ptxas info    : Function properties for c
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, 360 bytes cmem[0]
)");
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0], (FunctionResources{"a$b", 168, 1024, 48, 84}));
  EXPECT_EQ(found[1], (FunctionResources{"c", 8, 0, 0, 0}));
  Ptxas::Report report{0, "", found};
  EXPECT_EQ(report.fault(), "a$b: a stack of 48 bytes, 84 bytes spilled");
  EXPECT_EQ(report.registers(), 168);
  report.functions.erase(report.functions.begin());
  EXPECT_EQ(report.fault(), "");
  report.output = "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized";
  EXPECT_EQ(report.fault(), report.output);
}

TEST(DeviceResources, BlocksFollowFromWhatIsScarce) {
  EXPECT_EQ(blocksAtATime("sm_80", 256, 32, 0), 8) << "threads";
  EXPECT_EQ(blocksAtATime("sm_80", 32, 16, 0), 32) << "blocks";
  EXPECT_EQ(blocksAtATime("sm_80", 128, 242, 0), 2) << "registers: 248 x 128 of 65536";
  EXPECT_EQ(blocksAtATime("sm_80", 128, 32, 80 * 1024), 2) << "shared memory: 81 of 164 KB";
  EXPECT_EQ(blocksAtATime("sm_80", 128, 32, 82 * 1024), 1);
  EXPECT_EQ(blocksAtATime("sm_90a", 128, 32, 75 * 1024), 3) << "228 KB";
  EXPECT_EQ(blocksAtATime("sm_90a", 384, 168, 200 * 1024), 1);
  EXPECT_EQ(blocksAtATime("sm_90", 32, 200, 0), 8) << "a quarter of the registers has two warps of 6400, not 10.2 / 4";
  EXPECT_EQ(blocksAtATime("sm_86", 256, 32, 0), 6) << "1536 threads";
  EXPECT_EQ(blocksAtATime("sm_86", 32, 16, 0), 16) << "blocks";
  EXPECT_EQ(blocksAtATime("sm_89", 32, 16, 0), 24) << "blocks";
  EXPECT_EQ(blocksAtATime("sm_89", 128, 32, 50 * 1024), 1) << "100 KB";
  EXPECT_EQ(blocksAtATime("sm_100a", 128, 32, 75 * 1024), 3);
  EXPECT_EQ(blocksAtATime("sm_999", 128, 32, 0), std::nullopt);
}

/// Returns a program of one kernel, whose code is the PTX above.
Program program() {
  Program program;
  program.images.push_back({"sm_80", ptx});
  for (const char *name : {"first", "second", "not$here"}) {
    MovePhase move{};
    move.phase.symbol = name;
    move.phase.threads = 64;
    move.phase.blockBytes = 2048;
    program.moves.push_back(move);
  }
  return program;
}

TEST(DeviceResources, WithoutPtxasRegistersAreUnknown) {
  std::vector<PhaseResources> found = resourcesOf(program(), nullptr);
  ASSERT_EQ(found.size(), 2) << "of functions that the image has";
  EXPECT_EQ(found[0].phase, "first");
  EXPECT_EQ(found[0].architecture, "sm_80");
  EXPECT_EQ(found[0].staticBytes, 1152);
  EXPECT_EQ(found[0].launchBytes, 2048);
  EXPECT_FALSE(found[0].assembled);
  EXPECT_FALSE(found[0].blocks);
  std::string text;
  llvm::raw_string_ostream out(text);
  printResources(found, out);
  EXPECT_THAT(text, HasSubstr("unknown without ptxas"));
  EXPECT_THAT(text, HasSubstr("1152 + 2048"));
}

TEST(DeviceResources, PtxasKnowsTheRest) {
  std::optional<Ptxas> ptxas = Ptxas::find();
  if (!ptxas)
    GTEST_SKIP() << "this machine has no ptxas";
  EXPECT_THAT(ptxas->version(), HasSubstr("."));
  std::vector<PhaseResources> found = resourcesOf(program(), &*ptxas);
  ASSERT_EQ(found.size(), 2);
  for (const PhaseResources &each : found) {
    ASSERT_TRUE(each.assembled) << each.phase;
    EXPECT_GT(each.assembled->registers, 0);
    EXPECT_EQ(each.assembled->sharedBytes, each.staticBytes) << each.phase;
    EXPECT_GT(*each.blocks, 0);
  }
  std::string text, problem;
  llvm::raw_string_ostream out(text);
  printResources(found, out);
  EXPECT_THAT(text, Not(HasSubstr("unknown")));

  Program wrong = program();
  wrong.images[0].ptx.replace(wrong.images[0].ptx.find("ret;"), 4, "rot;");
  EXPECT_FALSE(resourcesOf(wrong, &*ptxas, &problem)[0].assembled);
  EXPECT_THAT(problem, HasSubstr("rot"));
}

TEST(DeviceResources, APtxasThatCannotBeRunSaysNothing) {
  std::string problem;
  Ptxas missing("/there/is/no/ptxas");
  EXPECT_FALSE(resourcesOf(program(), &missing, &problem)[0].assembled);
  EXPECT_NE(missing.assemble(ptx, "sm_80").exitCode, 0);
  EXPECT_EQ(missing.version(), "");
}

} // namespace
} // namespace attnc
