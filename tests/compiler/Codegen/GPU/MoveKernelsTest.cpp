// Compares each form of the kernels that move data between other kernels on a device with a few lines of C++.
#include "compiler/Codegen/GPU/Moves/MoveKernels.h"
#include "compiler/Codegen/GPU/Backend/DeviceBackend.h"
#include "mlir/IR/Verifier.h"
#include "tests/support/DeviceExecutor.h"
#include "tests/support/Ptxas.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

const bool either[] = {false, true};

/// Compiles all forms once.
class Compiled {
public:
  Compiled() {
    mlir::DialectRegistry registry;
    registerBackendDialects(registry);
    registerDeviceDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    mlir::OwningOpRef<mlir::ModuleOp> code = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
    kernels.emplace(*code);
    kernels->copy();
    for (bool ring : either)
      for (bool counts : either) {
        kernels->checkRoom(ring, counts);
        for (bool isState : either)
          for (int64_t unit : {1, 2, 4, 16})
            kernels->append({unit, ring, counts, isState});
      }
    Target target = llvm::cantFail(Target::resolve("cuda"));
    if (failed(mlir::verify(*code)) || failed(lowerDeviceCode(*code, target)))
      return;
    mlir::FailureOr<LlvmCode> made = translateToLlvm(*code, target);
    optimise(*made, target);
    std::string ir;
    llvm::raw_string_ostream(ir) << *made->module;
    ptx = *emitPtx(*code, *made, target);
    device.emplace(ir);
  }

  /// Runs a launch and returns the second word of its status.
  int32_t run(const KernelPhase &phase, const std::vector<void *> &buffers, const std::vector<int64_t> &sizes,
              int32_t isFull = ATTN_OK) {
    int32_t status[2] = {ATTN_OK, isFull};
    std::vector<uint64_t> parameters;
    for (void *buffer : buffers)
      parameters.push_back(reinterpret_cast<uint64_t>(buffer));
    parameters.insert(parameters.end(), sizes.begin(), sizes.end());
    parameters.insert(parameters.end(), {0, reinterpret_cast<uint64_t>(status)});
    EXPECT_EQ(device->run({phase.symbol, phase.chunks.evaluate(sizes), phase.threads, parameters}, Order::Shuffled),
              "");
    EXPECT_EQ(status[0], ATTN_OK);
    return status[1];
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::optional<MoveKernels> kernels;
  std::string ptx;
  std::optional<DeviceExecutor> device;
};

class MoveKernelsTest : public testing::Test {
protected:
  void SetUp() override {
    static Compiled all;
    ASSERT_TRUE(all.device && *all.device) << (all.device ? all.device->message() : "not compiled");
    compiled = &all;
  }
  Compiled *compiled = nullptr;
};

TEST_F(MoveKernelsTest, Copies) {
  struct Places {
    size_t to, from;
  };
  for (Places at : {Places{0, 0}, {0, 4}, {8, 20}, {1, 0}, {16, 3}})
    for (size_t bytes : {0, 1, 15, 16, 17, 4096, 5003}) {
      alignas(16) char from[6000], to[6000] = {};
      for (size_t i = 0; i < sizeof from; ++i)
        from[i] = static_cast<char>(i % 251 + 1);
      compiled->run(compiled->kernels->copy(), {to + at.to, from + at.from}, {int64_t(bytes)});
      EXPECT_EQ(std::string(to + at.to, bytes), std::string(from + at.from, bytes)) << at.to << " from " << at.from;
      EXPECT_EQ(std::string(to, at.to), std::string(at.to, 0));
      EXPECT_EQ(to[at.to + bytes], 0) << "nothing behind " << bytes;
    }
}

/// 2 x 3 rows of positions; the second dimension has lengths.
struct Case {
  int64_t positions, capacity;
  int32_t lengths[3], counts[3];
};

/// Returns the bytes of the cache after an append.
std::vector<char> expected(const AppendVariant &form, const Case &each, std::vector<char> cache,
                           const std::vector<char> &rows, int64_t inner) {
  for (int64_t outer = 0; outer < 6; ++outer) {
    int64_t row = outer % 3, count = form.counts ? each.counts[row] : each.positions, before = each.lengths[row];
    if (!form.ring && !form.isState)
      before = std::max<int64_t>(std::min(before, each.capacity - count), 0);
    for (int64_t position = 0; position < count; ++position) {
      int64_t index = form.ring ? (before + position) % each.capacity : before + position;
      std::copy_n(&rows[(outer * each.positions + position) * inner], inner,
                  &cache[(outer * each.capacity + index) * inner]);
    }
  }
  return cache;
}

TEST_F(MoveKernelsTest, Appends) {
  for (Case each : {Case{3, 9, {0, 5, 6}, {3, 0, 1}}, Case{1, 4, {3, 0, 1}, {1, 1, 0}},
                    Case{7, 7, {0, 0, 0}, {7, 6, 0}}, Case{0, 4, {0, 1, 4}, {0, 0, 0}}})
    for (bool ring : either)
      for (bool counts : either)
        for (bool isState : either)
          for (int64_t unit : {1, 2, 4, 16}) {
            AppendVariant form{unit, ring, counts, isState};
            int64_t units = 5, inner = units * unit;
            std::vector<char> rows(6 * each.positions * inner + 16), cache(6 * each.capacity * inner + 16, 1);
            for (size_t i = 0; i < rows.size(); ++i)
              rows[i] = static_cast<char>(2 + i % 97);
            std::vector<char> result = cache, full = cache;
            std::vector<void *> buffers = {result.data(), rows.data(), each.lengths};
            if (counts)
              buffers.push_back(each.counts);
            std::vector<int64_t> sizes = {6, each.positions, each.capacity, units, 1, 3};
            compiled->run(compiled->kernels->append(form), buffers, sizes);
            EXPECT_EQ(result, expected(form, each, cache, rows, inner)) << unit << ring << counts << isState;
            buffers[0] = full.data();
            compiled->run(compiled->kernels->append(form), buffers, sizes, ATTN_FULL);
            EXPECT_EQ(full, isState ? cache : result) << "states alone are not written where one is full";
          }
}

/// Appending more positions than the ring holds stores the last ones, in any order of threads.
TEST_F(MoveKernelsTest, RingsHaveTheLastPositions) {
  float rows[7] = {0, 1, 2, 3, 4, 5, 6}, cache[3] = {-1, -1, -1};
  int32_t length = 2;
  compiled->run(compiled->kernels->append({4, true, false, true}), {cache, rows, &length}, {1, 7, 3, 1, 1, 1});
  EXPECT_EQ(std::vector<float>(cache, cache + 3), std::vector<float>({4, 5, 6})) << "at positions 6, 7, 8";
}

/// An invalid length, which is reported elsewhere, does not write outside of the cache.
TEST_F(MoveKernelsTest, StayWithinCachesThatHaveRoom) {
  for (int32_t length : {-5, 7, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()}) {
    float rows[2] = {1, 2}, memory[6] = {0, 0, 0, 0, 0, 0};
    compiled->run(compiled->kernels->append({4, false, false, false}), {memory + 1, rows, &length}, {1, 2, 4, 1, 1, 1});
    EXPECT_EQ(memory[0] + memory[5], 0) << length;
    EXPECT_EQ(memory[1] + memory[2] + memory[3] + memory[4], 3) << length;
  }
}

TEST_F(MoveKernelsTest, LookForRoom) {
  struct Lengths {
    int32_t length, count;
    bool fits, fitsInRing;
  };
  for (Lengths each : {Lengths{0, 3, true, true},
                       {6, 3, true, true},
                       {7, 3, false, true},
                       {7, 2, true, true},
                       {-1, 0, false, false},
                       {0, -1, false, false},
                       {0, 4, false, false}})
    for (bool ring : either) {
      std::vector<int32_t> lengths(300, 0), counts(300, 0);
      lengths[299] = each.length;
      counts[299] = each.count;
      bool fits = ring ? each.fitsInRing : each.fits;
      EXPECT_EQ(compiled->run(compiled->kernels->checkRoom(ring, true), {lengths.data(), counts.data()}, {300, 3, 9}),
                fits ? ATTN_OK : ATTN_FULL)
          << each.length << " and " << each.count << ring;
      if (each.count == 3)
        EXPECT_EQ(compiled->run(compiled->kernels->checkRoom(ring, false), {lengths.data()}, {300, 3, 9}),
                  fits ? ATTN_OK : ATTN_FULL);
    }
}

TEST_F(MoveKernelsTest, AssembleWithoutSpills) {
  if (!hasPtxas())
    GTEST_SKIP() << "this machine has no ptxas";
  EXPECT_EQ(ptxasFault(compiled->ptx.c_str(), "sm_80"), "");
  EXPECT_NE(compiled->ptx.find("ld.global.v4"), std::string::npos) << "whole accesses";
}

} // namespace
} // namespace attnc
