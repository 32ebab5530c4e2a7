// Tests traffic of entry points through levels of 1000, 10 000 and any number of bytes.
#include "compiler/Predict/Traffic.h"
#include "tests/compiler/Predict/TestMachine.h"
#include "tests/support/ParsedModule.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

const std::string kernels = R"(
  func.func private @double(%x: tensor<?xf32>) -> tensor<?xf32> attributes {attn.kernel = "loops"} {
    return %x : tensor<?xf32>
  }
  func.func private @shift(%x: tensor<?xf32> {attn.in_place = 0}) -> tensor<?xf32> attributes {attn.kernel = "loops"} {
    return %x : tensor<?xf32>
  }
  func.func private @add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> attributes {attn.kernel = "loops"} {
    return %x : tensor<?xf32>
  }
  func.func private @line(%x: tensor<16xf32>) -> tensor<16xf32> attributes {attn.kernel = "loops"} {
    return %x : tensor<16xf32>
  }
  func.func private @next(%x: tensor<16xf32>) -> tensor<16xf32> attributes {attn.kernel = "loops"} {
    return %x : tensor<16xf32>
  }
  model.parameter @p : tensor<16xf32> checkpoint "p" init <"ones", 0.0, 0.0>
  model.parameter @q : tensor<16xf32> checkpoint "q" init <"ones", 0.0, 0.0>
  model.parameter @r[2] : tensor<16xf32> checkpoint "r{0}" init <"ones", 0.0, 0.0>
)";

const std::string signature = R"((%x: tensor<?xf32> {model.name = "x", model.shape = ["n"]})
    -> (tensor<?xf32> {model.name = "r", model.shape = ["n"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
)";

/// Returns the traffic of the calls, in order, for n floats.
std::vector<LaunchTraffic> trafficOf(const std::string &body, int64_t n, Machine machine = testMachine(),
                                     int64_t codeBytes = 0, int64_t scratchBytes = 0, bool firstIsWide = true) {
  ParsedModule module(kernels + "func.func @f" + signature + body + "}");
  EXPECT_TRUE(bool(module)) << module.diagnostics();
  llvm::StringMap<KernelCode> codes;
  codes["double"].sharedBytes = scratchBytes;
  codes["shift"];
  codes["add"];
  codes["line"];
  codes["next"];
  auto plan = planEntry(module.function("f"), codes);
  EXPECT_TRUE(mlir::succeeded(plan));
  auto found = attnc::trafficOf(
      *plan, {n, 1}, machine, [&](mlir::func::CallOp call) { return module.function(call.getCallee()); },
      [&](mlir::func::CallOp call) {
        bool isFirst = call.getCallee() == "double";
        int64_t begin = isFirst ? 0 : call.getCallee() == "next" ? 2 * codeBytes : codeBytes;
        return LaunchedCode{
            {CodeRange{begin, begin + codeBytes}}, isFirst ? scratchBytes : 0, 0, !isFirst || firstIsWide};
      },
      [](mlir::func::CallOp, const LaunchTraffic &) { return 1e-3; });
  std::vector<LaunchTraffic> result;
  module.function("f").walk([&](mlir::func::CallOp call) { result.push_back(found.lookup(call)); });
  return result;
}

using Bytes = std::vector<double>;
Bytes bytes(llvm::ArrayRef<double> levels) { return levels.vec(); }

const std::string twice = R"(
  %a = call @double(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %b = call @add(%a, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %b : tensor<?xf32>
)";

TEST(Traffic, StaysInTheNearestLevelThatHoldsAllThatWasTouchedSince) {
  auto small = trafficOf(twice, 25); // 100 bytes per tensor
  ASSERT_EQ(small.size(), 2u);
  EXPECT_EQ(bytes(small[0].read), (Bytes{100, 0, 0}));
  EXPECT_EQ(bytes(small[1].read), (Bytes{200, 0, 0}));
  EXPECT_EQ(bytes(small[1].written), (Bytes{100, 0, 0}));
  Machine machine = testMachine();
  machine.levels[1].bytes = 100000;
  auto medium = trafficOf(twice, 2500, machine); // 10 000 bytes per tensor
  EXPECT_EQ(bytes(medium[0].read), (Bytes{0, 10000, 0}));
  EXPECT_EQ(bytes(medium[1].read), (Bytes{0, 20000, 0}));
  auto large = trafficOf(twice, 100000);
  EXPECT_EQ(bytes(large[1].read), (Bytes{0, 0, 800000}));
  EXPECT_EQ(bytes(large[1].written), (Bytes{0, 0, 400000}));
}

/// The last touched of 1400 bytes are still in the nearest level; the first touched are not.
TEST(Traffic, TouchesOperandsAndResultsOfALaunchTogether) {
  auto traffic = trafficOf(twice, 175);
  EXPECT_NEAR(traffic[1].read[0], 1400 * (1 + 1 + 0.75 + 0.05) / 4, 1e-6);
  EXPECT_NEAR(traffic[1].read[1], 1400 * (0.25 + 0.95) / 4, 1e-6);
}

TEST(Traffic, CountsAnOperandOnceThatIsReadTwice) {
  auto traffic = trafficOf(R"(
    %b = call @add(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %b : tensor<?xf32>)",
                           900); // 7200 bytes in the previous launch
  ASSERT_EQ(traffic.size(), 1u);
  // 0.7 of its first quarter is in the nearest level, and all of it at the second read.
  EXPECT_NEAR(traffic[0].read[0], 3600 + 630, 1e-6);
  EXPECT_NEAR(traffic[0].read[1], 3600 - 630, 1e-6);
}

TEST(Traffic, SharesWhatACacheHardlyHolds) {
  auto traffic = trafficOf(twice, 250); // a launch touches twice the size of the nearest level
  EXPECT_EQ(bytes(traffic[1].read), (Bytes{1000, 1000, 0}));
}

TEST(Traffic, ForgetsWhatIsOld) {
  Machine machine = testMachine();
  machine.keeps = 1e-3; // the duration of a launch
  auto traffic = trafficOf(twice, 175, machine);
  EXPECT_NEAR(traffic[1].read[0], 980, 1e-6); // touched by the previous launch
  EXPECT_NEAR(traffic[1].read[1], 420, 1e-6);
  machine.keeps = 1e-9;
  traffic = trafficOf(twice, 175, machine);
  EXPECT_EQ(bytes(traffic[1].written), (Bytes{0, 0, 700})); // touched one launch ago
  EXPECT_NEAR(traffic[1].read[1], 420, 1e-6);
}

TEST(Traffic, WaitsForCodeAndOperands) {
  Machine machine = testMachine();
  for (auto [level, seconds] : {std::pair(0, 0.0), {1, 1.0}, {2, 3.0}}) {
    machine.levels[size_t(level)].latency = seconds;
    machine.levels[size_t(level)].call = 100 * seconds;
    machine.levels[size_t(level)].codeLine = 10 * seconds;
  }
  EXPECT_EQ(trafficOf(twice, 10, machine, 100)[0].latency, 0);
  // All data come from memory: the first line of code, three more lines, and one operand, as operands overlap.
  EXPECT_NEAR(trafficOf(twice, 1000000, machine, 256)[0].latency, 3 + 300 + 3 * 30, 1e-6);
  // Lines come in pairs: the code from 200 to 400 has six lines.
  EXPECT_NEAR(trafficOf(twice, 1000000, machine, 200)[1].latency, 3 + 300 + 5 * 30, 1e-6);
}

/// Adjacent parameters of one line each: a miss fetches a pair of lines.
TEST(Traffic, FindsWhatCameWithNeighbours) {
  Machine machine = testMachine();
  machine.levels[2].latency = 3;
  auto traffic = trafficOf(R"(
    %a = call @double(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %p = model.get @p : tensor<16xf32>
    %q = model.get @q : tensor<16xf32>
    %r = model.get @r[%c0] : tensor<16xf32>
    %s = model.get @r[%c1] : tensor<16xf32>
    %b = call @line(%p) : (tensor<16xf32>) -> tensor<16xf32>
    %c = call @line(%q) : (tensor<16xf32>) -> tensor<16xf32>
    %d = call @line(%r) : (tensor<16xf32>) -> tensor<16xf32>
    %e = call @line(%s) : (tensor<16xf32>) -> tensor<16xf32>
    return %a : tensor<?xf32>)",
                           1000000, machine);
  ASSERT_EQ(traffic.size(), 5u);
  std::vector<double> latency;
  for (const LaunchTraffic &each : llvm::drop_begin(traffic))
    latency.push_back(each.latency);
  EXPECT_EQ(latency, (std::vector<double>{3, 0, 3, 0}));
}

/// Code is prefetched too, but less far.
TEST(Traffic, FindsCodeThatCameWithThatBeforeIt) {
  Machine machine = testMachine();
  machine.levels[2].call = 300;
  machine.levels[2].codeLine = 30;
  auto latency = [&](int64_t codeBytes) {
    auto traffic = trafficOf(R"(
      %a = call @double(%x) : (tensor<?xf32>) -> tensor<?xf32>
      %p = model.get @p : tensor<16xf32>
      %b = call @line(%p) : (tensor<16xf32>) -> tensor<16xf32>
      %c = call @next(%p) : (tensor<16xf32>) -> tensor<16xf32>
      return %a : tensor<?xf32>)",
                             1000000, machine, codeBytes);
    return std::vector<double>{traffic[1].latency, traffic[2].latency};
  };
  std::vector<double> few = latency(192), many = latency(4096);
  EXPECT_GT(few[0], 0);
  EXPECT_EQ(few[1], 0);
  EXPECT_NEAR(many[1], 60 * 30, 1e-6); // all lines except four
}

TEST(Traffic, BringsLinesThatAreOverwrittenOnce) {
  const std::string inPlace = R"(
    %a = call @double(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %b = call @shift(%a) : (tensor<?xf32>) -> tensor<?xf32>
    %c = call @add(%b, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %c : tensor<?xf32>)";
  auto medium = trafficOf(inPlace, 500); // 2000 bytes: beyond the nearest level, and written back to it
  ASSERT_EQ(medium.size(), 3u);
  EXPECT_EQ(bytes(medium[1].read), (Bytes{500, 0, 0})); // a quarter is in the nearest level
  EXPECT_EQ(bytes(medium[1].written), (Bytes{500, 1500, 0}));
  auto large = trafficOf(inPlace, 100000); // writes back while reading others
  EXPECT_EQ(bytes(large[1].read), (Bytes{0, 0, 400000}));
  EXPECT_EQ(bytes(large[1].written), (Bytes{400000, 0, 0}));
}

TEST(Traffic, WritesAndReadsScratch) {
  auto traffic = trafficOf(twice, 25, testMachine(), 0, 3000);
  ASSERT_EQ(traffic.size(), 2u);
  EXPECT_EQ(bytes(traffic[0].read), (Bytes{100, 3000, 0}));
  EXPECT_EQ(bytes(traffic[0].written), (Bytes{836, 2264, 0})); // overwrites the scratch of the previous call
  EXPECT_NEAR(traffic[1].read[1], 145, 1e-6);                  // touched together with the scratch
}

TEST(Traffic, FindsWideVectorsAsleep) {
  Machine machine = testMachine();
  machine.wake = 1.5e-3;
  machine.drowsy = 2;
  machine.sleep = 10e-3; // a launch takes a millisecond
  auto warmUp = [&](bool firstIsWide) {
    std::vector<double> seconds;
    for (const LaunchTraffic &each : trafficOf(twice, 25, machine, 0, 0, firstIsWide))
      seconds.push_back(each.warmUp);
    return seconds;
  };
  // The first launch wakes the vector units for half of its time.
  EXPECT_EQ(warmUp(true), (std::vector<double>{1.5e-3, 1e-3}));
  EXPECT_EQ(warmUp(false), (std::vector<double>{0, 1.5e-3}));
}

TEST(Traffic, AveragesOverTurns) {
  auto traffic = trafficOf(R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %a = call @double(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %b = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %a) -> (tensor<?xf32>) {
      %z = func.call @double(%y) : (tensor<?xf32>) -> tensor<?xf32>
      scf.yield %z : tensor<?xf32>
    }
    return %b : tensor<?xf32>)",
                           25);
  ASSERT_EQ(traffic.size(), 2u);
  EXPECT_EQ(bytes(traffic[1].read), (Bytes{100, 0, 0}));
}

} // namespace
} // namespace attnc
