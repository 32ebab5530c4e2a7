// Entry points whose tensors lie in levels of 1000, 10 000 and any number of bytes.
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
)";

const std::string signature = R"((%x: tensor<?xf32> {model.name = "x", model.shape = ["n"]})
    -> (tensor<?xf32> {model.name = "r", model.shape = ["n"]})
    attributes {model.entry, model.dimensions = [#model.dimension<"n", -1>]} {
)";

/// Of the calls in order, for n floats.
std::vector<LaunchTraffic> trafficOf(const std::string &body, int64_t n, Machine machine = testMachine(),
                                     int64_t codeBytes = 0, int64_t scratchBytes = 0, bool firstIsWide = true) {
  ParsedModule module(kernels + "func.func @f" + signature + body + "}");
  EXPECT_TRUE(bool(module)) << module.diagnostics();
  llvm::StringMap<KernelCode> codes;
  codes["double"].sharedBytes = scratchBytes;
  codes["shift"];
  codes["add"];
  auto plan = planEntry(module.function("f"), codes);
  EXPECT_TRUE(mlir::succeeded(plan));
  auto found = attnc::trafficOf(
      *plan, {n, 1}, machine, [&](mlir::func::CallOp call) { return module.function(call.getCallee()); },
      [&](mlir::func::CallOp call) {
        bool isFirst = call.getCallee() == "double";
        return LaunchedCode{{isFirst ? CodePiece{0, codeBytes} : CodePiece{codeBytes, 2 * codeBytes}},
                            isFirst ? scratchBytes : 0,
                            0,
                            !isFirst || firstIsWide};
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
  auto small = trafficOf(twice, 25); // 100 bytes each
  ASSERT_EQ(small.size(), 2u);
  EXPECT_EQ(bytes(small[0].read), (Bytes{100, 0, 0}));
  EXPECT_EQ(bytes(small[1].read), (Bytes{200, 0, 0}));
  EXPECT_EQ(bytes(small[1].written), (Bytes{100, 0, 0}));
  auto medium = trafficOf(twice, 175); // 700 bytes each: what was made just now is still near
  EXPECT_EQ(bytes(medium[0].read), (Bytes{0, 700, 0}));
  EXPECT_EQ(bytes(medium[1].read), (Bytes{700, 700, 0}));
  auto large = trafficOf(twice, 100000);
  EXPECT_EQ(bytes(large[1].read), (Bytes{0, 0, 800000}));
  EXPECT_EQ(bytes(large[1].written), (Bytes{0, 0, 400000}));
}

TEST(Traffic, CountsAnOperandOnceThatIsReadTwice) {
  auto traffic = trafficOf(R"(
    %b = call @add(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %b : tensor<?xf32>)",
                           900); // 7200 bytes since an operand was touched
  ASSERT_EQ(traffic.size(), 1u);
  EXPECT_EQ(bytes(traffic[0].read), (Bytes{3600, 3600, 0}));
}

TEST(Traffic, SharesWhatACacheHardlyHolds) {
  auto traffic = trafficOf(twice, 250); // what was made just now is as large as the nearest level
  EXPECT_EQ(bytes(traffic[1].read), (Bytes{500, 1500, 0}));
}

TEST(Traffic, ForgetsWhatIsOld) {
  Machine machine = testMachine();
  machine.keeps = 1e-3; // as long as a launch
  auto traffic = trafficOf(twice, 175, machine);
  EXPECT_EQ(bytes(traffic[1].read), (Bytes{700, 700, 0})); // touched at the end of the launch before
  EXPECT_EQ(bytes(traffic[0].read), (Bytes{0, 700, 0}));
  machine.keeps = 1e-9;
  traffic = trafficOf(twice, 175, machine);
  EXPECT_EQ(bytes(traffic[1].written), (Bytes{0, 0, 700})); // a launch ago
  EXPECT_EQ(bytes(traffic[1].read), (Bytes{700, 700, 0}));
}

TEST(Traffic, WaitsForCodeAndOperands) {
  Machine machine = testMachine();
  for (auto [level, seconds] : {std::pair(0, 0.0), {1, 1.0}, {2, 3.0}}) {
    machine.levels[size_t(level)].latency = seconds;
    machine.levels[size_t(level)].call = 100 * seconds;
    machine.levels[size_t(level)].codeLine = 10 * seconds;
  }
  EXPECT_EQ(trafficOf(twice, 25, machine, 100)[0].waits, 0);
  // All of it comes from memory, operands at once: the first line of the code, three more, and an operand.
  EXPECT_NEAR(trafficOf(twice, 1000000, machine, 256)[0].waits, 3 + 300 + 3 * 30, 1e-6);
  // Lines come in pairs: the code from 200 to 400 is of six.
  EXPECT_NEAR(trafficOf(twice, 1000000, machine, 200)[1].waits, 3 + 300 + 5 * 30, 1e-6);
}

TEST(Traffic, BringsLinesThatAreOverwrittenOnce) {
  const std::string inPlace = R"(
    %a = call @double(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %b = call @shift(%a) : (tensor<?xf32>) -> tensor<?xf32>
    %c = call @add(%b, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %c : tensor<?xf32>)";
  auto medium = trafficOf(inPlace, 500); // 2000 bytes: they lie behind the nearest level, and go back to it
  ASSERT_EQ(medium.size(), 3u);
  EXPECT_EQ(bytes(medium[1].read), (Bytes{0, 0, 0}));
  EXPECT_EQ(bytes(medium[1].written), (Bytes{0, 2000, 0}));
  auto large = trafficOf(inPlace, 100000); // they go back while others come
  EXPECT_EQ(bytes(large[1].read), (Bytes{0, 0, 400000}));
  EXPECT_EQ(bytes(large[1].written), (Bytes{400000, 0, 0}));
}

TEST(Traffic, WritesAndReadsScratch) {
  auto traffic = trafficOf(twice, 25, testMachine(), 0, 3000);
  ASSERT_EQ(traffic.size(), 2u);
  EXPECT_EQ(bytes(traffic[0].read), (Bytes{100, 3000, 0}));
  EXPECT_EQ(bytes(traffic[0].written), (Bytes{100, 3000, 0}));
  EXPECT_EQ(bytes(traffic[1].read), (Bytes{0, 200, 0})); // behind the scratch
}

TEST(Traffic, FindsWideVectorsAsleep) {
  Machine machine = testMachine();
  machine.wake = 1.5e-3;
  machine.drowsy = 2;
  machine.sleep = 10e-3; // a launch takes a millisecond
  auto wakes = [&](bool firstIsWide) {
    std::vector<double> seconds;
    for (const LaunchTraffic &each : trafficOf(twice, 25, machine, 0, 0, firstIsWide))
      seconds.push_back(each.wakes);
    return seconds;
  };
  // The first one wakes them for half of its time.
  EXPECT_EQ(wakes(true), (std::vector<double>{1.5e-3, 1e-3}));
  EXPECT_EQ(wakes(false), (std::vector<double>{0, 1.5e-3}));
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
