// Attention by Halide against the oracle, in each form: mechanisms times sizes, then special cases, and what is
// declined.
#include "compiler/Codegen/Halide/HalideEmitter.h"
#include "tests/compiler/Codegen/CPU/AttendMasks.h"
#include "tests/compiler/Codegen/CPU/AttendMechanisms.h"
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace attnc {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

const Emitter &halideEmitter() {
  static const std::unique_ptr<Emitter> emitter = createHalideEmitter();
  return *emitter;
}

/// Why Halide does not take the kernel; empty where it does.
std::string refusal(const AttendKernel &kernel) {
  ParsedModule parsed(kernel.text());
  return parsed ? halideEmitter().supports(parsed.function(), llvm::cantFail(Target::resolve("native"))).reason
                : parsed.diagnostics();
}

std::string check(const AttendKernel &kernel, const std::vector<HostArray> &operands,
                  double tolerance = attendTolerance, std::string_view target = "native") {
  return comparedKernel(kernel.text(), target, &halideEmitter()).compare(operands, kernel.resultShapes(), tolerance);
}

using Sizes = std::initializer_list<std::pair<int64_t, int64_t>>;

/// Of one kernel: queries and keys that fill no tile, one tile, and several; none.
void expectOracle(const Mechanism &mechanism, AttendKernel kernel, Sizes sizes) {
  ComparedKernel &compiled = comparedKernel(kernel.text(), "native", &halideEmitter());
  for (auto [queries, keys] : sizes) {
    kernel.queries = queries;
    kernel.keys = keys;
    std::vector<HostArray> operands = kernel.operands();
    for (HostArray &each : mechanism.captured(kernel))
      operands.push_back(std::move(each));
    EXPECT_EQ(compiled.compare(operands, kernel.resultShapes()), "")
        << mechanism.name << ", " << queries << " queries, " << keys << " keys";
  }
}

//===------------------------------------------ mechanisms --------------------------------------------------------===//

class HalideAttend : public testing::TestWithParam<const char *> {
protected:
  AttendKernel plain() const {
    AttendKernel kernel;
    kernel.schedule = fmt::format("form = \"{}\"", GetParam());
    return kernel;
  }
};

TEST_P(HalideAttend, MasksAgreeWithTheOracle) {
  std::set<std::string> refused;
  for (const Mechanism &mechanism : maskMechanisms()) {
    AttendKernel kernel = mechanism.kernel;
    kernel.schedule = plain().schedule;
    kernel.dim = 20;
    kernel.valueDim = 37;
    if (!refusal(kernel).empty())
      refused.insert(mechanism.name + ": " + refusal(kernel));
    else
      expectOracle(mechanism, kernel, {{0, 30}, {1, 1}, {83, 150}, {150, 61}, {64, 128}});
  }
  EXPECT_EQ(refused, std::set<std::string>());
}

TEST_P(HalideAttend, ScoresAgreeWithTheOracle) {
  std::set<std::string> refused;
  for (const Mechanism &mechanism : scoreMechanisms()) {
    AttendKernel kernel = mechanism.kernel;
    kernel.schedule = plain().schedule;
    kernel.dim = 20;
    kernel.valueDim = 37;
    if (!refusal(kernel).empty())
      refused.insert(mechanism.name + ": " + refusal(kernel));
    else
      expectOracle(mechanism, kernel, {{1, 1}, {83, 150}, {64, 128}});
  }
  EXPECT_EQ(refused,
            (std::set<std::string>{"all statistics: it has another result than the value and lse",
                                   "linear weight: a formula changes its weights",
                                   "quadratic weight: a formula changes its weights",
                                   "ratio of products: its scores are normalised by another function than a softmax"}));
}

//===------------------------------------------ special cases -----------------------------------------------------===//

TEST_P(HalideAttend, HeadSizes) {
  for (auto [dim, valueDim] :
       {std::pair<int64_t, int64_t>{16, 16}, {33, 33}, {100, 7}, {128, 128}, {256, 40}, {1, 1}}) {
    AttendKernel kernel = plain();
    kernel.dim = dim;
    kernel.valueDim = valueDim;
    EXPECT_EQ(check(kernel, kernel.operands()), "") << dim << " " << valueDim;
  }
}

/// Of constant sizes Halide knows which pairs a mask drops.
TEST_P(HalideAttend, StaticSizes) {
  std::string windowMask = "%c9 = arith.constant 9 : index\n%e = arith.addi %j, %c9 : index\n"
                           "%m = arith.cmpi sgt, %e, %i : index";
  for (auto [queries, keys] : {std::pair<int64_t, int64_t>{96, 96}, {128, 41}, {12, 130}, {5, 3}}) {
    AttendKernel kernel = plain();
    kernel.isStatic = true;
    kernel.queries = queries;
    kernel.keys = keys;
    for (const std::string &mask : {std::string(causalMask), windowMask})
      for (const char *target : {"native", "x86-64-v3"}) {
        kernel.mask = mask;
        EXPECT_EQ(check(kernel, kernel.operands(), 4e-6, target), "") << queries << " " << keys << " " << target;
      }
  }
}

TEST_P(HalideAttend, GroupedHeadsAndLse) {
  AttendKernel kernel = plain();
  kernel.heads = 6;
  kernel.group = 3;
  kernel.mask = causalMask;
  kernel.yields = "\"value\", \"lse\"";
  for (const char *target : {"native", "x86-64-v3"})
    EXPECT_EQ(check(kernel, kernel.operands(), 4e-6, target), "") << target;
}

TEST_P(HalideAttend, RowsThatKeepNothing) {
  AttendKernel kernel = plain();
  kernel.yields = "\"value\", \"lse\"";
  kernel.keys = 0;
  EXPECT_EQ(check(kernel, kernel.operands()), "");
  kernel.keys = 90;
  kernel.mask = "%w = arith.constant 50 : index %x = arith.cmpi sgt, %i, %w : index "
                "%y = arith.cmpi sle, %j, %i : index %m = arith.andi %x, %y : i1";
  EXPECT_EQ(check(kernel, kernel.operands()), "");
}

TEST_P(HalideAttend, LargeScores) {
  AttendKernel kernel = plain();
  kernel.mask = causalMask;
  // Scores near 10^5 have a spacing of 2^-7, which the exponential turns into a relative error.
  EXPECT_EQ(check(kernel, kernel.operands(100), 0.1), "");
}

TEST_P(HalideAttend, InfinitiesAndNanOfScores) {
  AttendKernel kernel = plain();
  kernel.captured = ", %bias: tensor<?x?xf32>";
  kernel.score = "%y0 = tensor.extract %bias[%i, %j] : tensor<?x?xf32> %y = arith.addf %s, %y0 : f32";
  kernel.mask = causalMask;
  std::vector<HostArray> operands = kernel.operands();
  operands.push_back(HostArray::random({kernel.queries, kernel.keys}, 4, 0.5, 1));
  float *bias = operands[3].f32();
  std::fill_n(bias + 3 * kernel.keys, kernel.keys, -infinity); // the whole row is as masked
  for (int64_t j = 0; j < kernel.keys; j += 2)
    bias[30 * kernel.keys + j] = -infinity;
  bias[20 * kernel.keys + 3] = nan;
  bias[21 * kernel.keys + 20] = infinity;
  bias[22 * kernel.keys + 40] = nan; // masked
  EXPECT_EQ(check(kernel, operands, 1e-4), "");
}

/// Key 45 is masked for every query: what it has in the place of values is not seen.
TEST_P(HalideAttend, ValuesOfDroppedPairs) {
  for (float hidden : {nan, infinity, -infinity}) {
    AttendKernel kernel = plain();
    kernel.valueDim = 37;
    kernel.constants = "%k45 = arith.constant 45 : index";
    kernel.mask = "%m = arith.cmpi ne, %j, %k45 : index";
    std::vector<HostArray> operands = kernel.operands();
    std::fill_n(operands[2].f32() + 45 * kernel.valueDim, kernel.valueDim, hidden);
    EXPECT_EQ(check(kernel, operands), "") << hidden;
    operands[2].f32()[44 * kernel.valueDim + 5] = nan; // which all rows keep
    EXPECT_EQ(check(kernel, operands), "") << hidden;
  }
}

//===------------------------------------------ memory and schedules ----------------------------------------------===//

TEST_P(HalideAttend, KeepsNoScoresOfAllPairs) {
  KernelRunner runner(plain().text(), halideEmitter());
  ASSERT_TRUE(runner) << runner.message();
  SizeExpr bytes = runner.code().workerBytes;
  EXPECT_EQ(runner.code().sharedBytes.evaluate({100, 100, 100, 100}), 0);
  for (unsigned a = 0; a < 4; ++a)
    for (unsigned b = 0; b < 4; ++b)
      EXPECT_FALSE(bytes.hasProductOf(a, b)) << a << " " << b;
}

TEST_P(HalideAttend, TheScheduleIsKept) {
  AttendKernel kernel = plain();
  std::string given = fmt::format("{} queries(8 x 2) keys(3) values(5) block(24)", GetParam());
  kernel.schedule = fmt::format("halide = \"{}\"", given);
  KernelRunner runner(kernel.text(), halideEmitter());
  ASSERT_TRUE(runner) << runner.message();
  EXPECT_EQ(check(kernel, kernel.operands()), "");
}

INSTANTIATE_TEST_SUITE_P(Forms, HalideAttend, testing::Values("two_pass", "online"),
                         [](const auto &info) { return std::string(info.param); });

TEST(HalideAttendSchedule, WrongWordsAreErrors) {
  auto errorOf = [](const std::string &text) {
    AttendKernel kernel;
    kernel.schedule = fmt::format("halide = \"{}\"", text);
    ParsedModule parsed(kernel.text());
    return halideEmitter().scheduleError(parsed.function(), llvm::cantFail(Target::resolve("x86-64-v4")));
  };
  EXPECT_EQ(errorOf("two_pass queries(16 x 4) keys(4) values(4) block(64)"), "");
  EXPECT_EQ(errorOf("twopass queries(16 x 4)"),
            "k.halide: at column 1: found twopass, expected `two_pass` or `online`");
  EXPECT_EQ(errorOf("two_pass rows(4)"), "k.halide: at column 10: found rows, expected `queries`");
  EXPECT_EQ(errorOf("two_pass queries(12 x 4)"), "k.halide: at column 18: found 12, expected a power of 2");
  EXPECT_EQ(
      errorOf("online queries(16 x 4) keys(4) values(4) block(256)"),
      "k.halide: at column 51: found ), expected a tile that takes less on the stack: at most 16384 bytes of queries "
      "with their features, values or keys of a block, and 114688 in all");
  EXPECT_EQ(errorOf("two_pass queries(16 x 4) keys(4) values(4) block(64) more"),
            "k.halide: at column 54: found more, expected the end");
}

//===------------------------------------------ what is declined --------------------------------------------------===//

TEST(HalideAttendDeclines, WithAReason) {
  AttendKernel kernel;
  kernel.normaliser = "ratio";
  EXPECT_EQ(refusal(kernel), "its scores are normalised by another function than a softmax");
  kernel = AttendKernel();
  kernel.yields = "\"value\", \"weights\"";
  EXPECT_EQ(refusal(kernel), "it has another result than the value and lse");
  kernel = AttendKernel();
  kernel.schedule = "form = \"decode\"";
  EXPECT_EQ(refusal(kernel), "its schedule asks for the form `decode`, which is of our emitter");
  kernel = AttendKernel();
  kernel.hasStaticQueries = true;
  kernel.queries = 2;
  EXPECT_EQ(refusal(kernel), "it has fewer queries than a tile is worth");
  kernel = AttendKernel();
  kernel.dim = 513;
  EXPECT_EQ(refusal(kernel), "its features and values leave no room for a tile of queries");
}

/// Nobody asks for Halide where it was not measured faster.
TEST(HalideAttendDeclines, WhereNobodyAsks) {
  auto emitter = createHalideEmitter(HalideScope::ByRule);
  AttendKernel kernel;
  ParsedModule parsed(kernel.text());
  EXPECT_FALSE(emitter->supports(parsed.function(), llvm::cantFail(Target::resolve("native"))));
  kernel.schedule = "form = \"two_pass\"";
  ParsedModule asked(kernel.text());
  EXPECT_TRUE(emitter->supports(asked.function(), llvm::cantFail(Target::resolve("native"))));
}

} // namespace
} // namespace attnc
