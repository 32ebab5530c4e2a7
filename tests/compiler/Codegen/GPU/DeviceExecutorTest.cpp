// Tests the device simulator that runs kernels in tests: its results, and the faults that it detects.
#include "tests/support/DeviceExecutor.h"
#include "tests/support/TensorCoreSums.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

constexpr int64_t threads = 64;

/// Returns a kernel of one pointer: thread t has its index in %t, and a pointer to word t of the memory in %own.
std::string kernelOf(const std::string &body) {
  return fmt::format(R"(
    @shared = internal addrspace(3) global [64 x i32] undef, align 16
    declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
    declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
    declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
    @given = external addrspace(3) global [0 x i8], align 128
    declare {{i32, i32, i32, i32}} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3))
    declare void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3), ptr addrspace(1), i32)
    declare void @llvm.nvvm.cp.async.commit.group()
    declare void @llvm.nvvm.cp.async.wait.group(i32)
    declare i32 @llvm.nvvm.f2tf32.rna(float)
    declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
    define ptx_kernel void @k(ptr %memory) {{
      %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
      %first = mul i32 %b, {}
      %word = add i32 %first, %t
      %own = getelementptr i32, ptr %memory, i32 %word
      {}
    }})",
                     threads, body);
}

struct Execution {
  std::string fault;
  std::vector<int32_t> memory;
};

constexpr int64_t blockBytes = 256;

Execution run(const std::string &body, Order order = Order::Ascending, int64_t blocks = 1) {
  DeviceExecutor device(kernelOf(body));
  if (!device)
    return {device.message(), {}};
  Execution result{"", std::vector<int32_t>(blocks * threads, -1)};
  result.fault =
      device.run({"k", blocks, threads, {reinterpret_cast<uint64_t>(result.memory.data())}, blockBytes}, order);
  return result;
}

TEST(DeviceExecutor, ThreadsAndBlocksHaveNumbers) {
  for (Order order : {Order::Ascending, Order::Descending, Order::Shuffled}) {
    Execution found = run("store i32 %word, ptr %own\n ret void", order, 3);
    ASSERT_EQ(found.fault, "");
    for (int32_t each = 0; each < 3 * threads; ++each)
      EXPECT_EQ(found.memory[each], each);
  }
}

TEST(DeviceExecutor, WarpsExchange) {
  Execution found = run(R"(%x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 4, i32 31)
                     %y = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %x, i32 0, i32 31)
                     %scaled = mul i32 %y, 100
                     %sum = add i32 %scaled, %x
                     store i32 %sum, ptr %own
                     ret void)");
  ASSERT_EQ(found.fault, "");
  for (int32_t each = 0; each < threads; ++each)
    EXPECT_EQ(found.memory[each], (each / 32 * 32 + 4) * 100 + (each ^ 4));
}

/// Each thread reads the value that the opposite thread of the block wrote.
std::string mirrored(const std::string &between) {
  return R"(%mine = getelementptr i32, ptr addrspace(3) @shared, i32 %t
            store i32 %t, ptr addrspace(3) %mine
            )" +
         between + R"(
            %other = sub i32 63, %t
            %its = getelementptr i32, ptr addrspace(3) @shared, i32 %other
            %x = load i32, ptr addrspace(3) %its
            store i32 %x, ptr %own
            ret void)";
}

TEST(DeviceExecutor, ABarrierOrdersSharedMemory) {
  for (Order order : {Order::Ascending, Order::Descending, Order::Shuffled}) {
    Execution with = run(mirrored("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"), order);
    ASSERT_EQ(with.fault, "");
    for (int32_t each = 0; each < threads; ++each)
      EXPECT_EQ(with.memory[each], threads - 1 - each);
    Execution without = run(mirrored(""), order);
    EXPECT_NE(without.memory, with.memory) << "a forgotten barrier is seen in every order";
  }
}

TEST(DeviceExecutor, ABarrierThatNotAllComeTo) {
  Execution found = run(R"(%c = icmp ult i32 %t, 40
                     br i1 %c, label %waits, label %leaves
                     waits:
                     call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
                     ret void
                     leaves:
                     ret void)");
  EXPECT_EQ(found.fault, "k: block 0: thread 0 waits for threads that do not arrive");
}

TEST(DeviceExecutor, MatricesOutsideOfSharedMemory) {
  auto load = [](const std::string &offset) {
    return "%p = getelementptr i8, ptr addrspace(3) @given, i32 " + offset + R"(
            %m = call {i32, i32, i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %p)
            ret void)";
  };
  EXPECT_EQ(run(load("240")).fault, "");
  EXPECT_EQ(run(load("244")).fault, "k: block 0: thread 0: ldmatrix at an address that is no multiple of 16");
  EXPECT_EQ(run(load("256")).fault, "k: block 0: thread 0: ldmatrix outside of the memory that the block shares");
}

/// Each of the first 16 threads copies 16 bytes from word 4t of the memory, and reads the first word after `between`.
std::string copying(const std::string &between, const std::string &bytes = "16") {
  return R"(%lower = icmp ult i32 %t, 16
            br i1 %lower, label %copies, label %leaves
            copies:
            %place = mul i32 %t, 16
            %from = getelementptr i8, ptr %memory, i32 %place
            %source = addrspacecast ptr %from to ptr addrspace(1)
            %to = getelementptr i8, ptr addrspace(3) @given, i32 %place
            store i32 %t, ptr %from
            call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %to, ptr addrspace(1) %source, i32 )" +
         bytes + ")\n" + between + R"(
            %x = load i32, ptr addrspace(3) %to
            store i32 %x, ptr %own
            br label %leaves
            leaves:
            ret void)";
}

TEST(DeviceExecutor, CopiesArriveWhenTheirGroupIsWaitedFor) {
  std::string close = "call void @llvm.nvvm.cp.async.commit.group()\n";
  std::string wait = "call void @llvm.nvvm.cp.async.wait.group(i32 0)\n";
  Execution found = run(copying(close + wait));
  ASSERT_EQ(found.fault, "");
  for (int32_t each = 0; each < 16; ++each)
    EXPECT_EQ(found.memory[each], each);
  EXPECT_EQ(run(copying(close + wait, "0")).memory[5], 0) << "bytes after the requested ones are zero";
  std::string waitForOthers = "call void @llvm.nvvm.cp.async.wait.group(i32 1)\n";
  for (const std::string &each : {close, wait, close + waitForOthers}) { // no group is awaited, or one may be in flight
    Execution early = run(copying(each));
    EXPECT_EQ(early.memory[5], -1) << each;
    EXPECT_EQ(early.fault, "k: block 0: thread 0 ends with unfinished copies") << each;
  }
}

TEST(DeviceExecutor, Tf32IsRoundedToTenBits) {
  auto rounded = [](uint32_t bits) {
    return run(fmt::format("%f = bitcast i32 {} to float\n %r = call i32 @llvm.nvvm.f2tf32.rna(float %f)\n"
                           "store i32 %r, ptr %own\n ret void",
                           static_cast<int32_t>(bits)))
        .memory[0];
  };
  EXPECT_EQ(rounded(0x3f800fff), 0x3f800000);
  EXPECT_EQ(rounded(0x3f801000), 0x3f802000) << "halves go away from zero";
  EXPECT_EQ(rounded(0x7f800000), 0x7f800000);
}

/// 2^-23 is the spacing of floats from 1 on.
TEST(DeviceExecutor, SumsAreCutOffAtOnceOrRoundedOneByOne) {
  std::vector<float> ones(4, 1);
  auto sum = [&](TensorCoreSums how, float before, const std::vector<float> &terms) {
    return addProducts(how, before, terms.data(), ones.data(), terms.size());
  };
  auto [cutOff, nearest] = std::pair(TensorCoreSums::CutOff, TensorCoreSums::Nearest);
  EXPECT_EQ(sum(cutOff, 1, {0x1.8p-24f}), 1);
  EXPECT_EQ(sum(nearest, 1, {0x1.8p-24f}), 1 + 0x1p-23f);
  EXPECT_EQ(sum(cutOff, -1, {-0x1.8p-24f}), -1) << "towards zero";
  EXPECT_EQ(sum(cutOff, 1, {0x1p-25f, 0x1p-25f, 0x1p-25f, 0x1p-25f}), 1 + 0x1p-23f);
  EXPECT_EQ(sum(nearest, 1, {0x1p-25f, 0x1p-25f, 0x1p-25f, 0x1p-25f}), 1);
}

TEST(DeviceExecutor, IntrinsicsWithoutAModelAreNamed) {
  Execution found = run(R"(%x = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
                     store i32 %x, ptr %own
                     ret void)");
  EXPECT_EQ(found.fault, "the executor has no model of llvm.nvvm.vote.ballot.sync");
}

} // namespace
} // namespace attnc
