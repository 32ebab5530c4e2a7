// Compares gradients of attention with the oracle: mechanisms times sizes, and named special cases.
#include "tests/compiler/Codegen/CPU/AttendGradientKernels.h"
#include "tests/compiler/Codegen/CPU/AttendMasks.h"
#include "tests/support/FloatLimits.h"
#include "tests/support/TestName.h"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

namespace attnc {
namespace {

//===------------------------------------------ mechanisms --------------------------------------------------------===//

/// A mechanism: its kernel, and the operands that it captures besides q, k and v.
struct Mechanism {
  std::string name;
  AttendGradientKernel kernel;
  std::function<std::vector<HostArray>(const AttendKernel &)> captured = [](const AttendKernel &) {
    return std::vector<HostArray>();
  };
  double tolerance = 1e-5; ///< larger if an element sums over very many pairs
};

std::vector<Mechanism> maskMechanisms() {
  std::vector<Mechanism> all;
  for (AttendMaskCase &each : attendMaskCases()) {
    Mechanism &mechanism = all.emplace_back(Mechanism{each.name, {}});
    mechanism.kernel.mask = each.mask;
    mechanism.kernel.captured = each.captured;
    mechanism.captured = each.operands;
  }
  return all;
}

const char *softCap = "%y0 = arith.mulf %s, %scale : f32 %y1 = arith.divf %y0, %cap : f32 %y2 = math.tanh %y1 : f32 ";

std::vector<Mechanism> learnedMechanisms() {
  std::vector<Mechanism> all;
  auto add = [&](std::string name) -> Mechanism & { return all.emplace_back(Mechanism{std::move(name), {}}); };
  Mechanism &alibi = add("learned slopes");
  alibi.kernel.captured = ", %slope: tensor<2xf32>";
  alibi.kernel.mask = causalMask;
  alibi.kernel.score = "%y0 = arith.mulf %s, %scale : f32 %y1 = tensor.extract %slope[%h] : tensor<2xf32> "
                       "%y2 = arith.subi %i, %j : index %y3 = arith.index_cast %y2 : index to i32 "
                       "%y4 = arith.sitofp %y3 : i32 to f32 %y5 = arith.mulf %y1, %y4 : f32 "
                       "%y = arith.subf %y0, %y5 : f32";
  alibi.kernel.of = {{"%slope", "tensor<2xf32>"}};
  alibi.tolerance = 4e-5;
  alibi.captured = [](const AttendKernel &) {
    return std::vector{HostArray::of({2}, std::vector<float>{0.5f, 0.25f})};
  };
  Mechanism &buckets = add("learned relative positions");
  buckets.kernel.captured = ", %table: tensor<2x16xf32>";
  buckets.kernel.constants = "%last = arith.constant 15 : i32 %first = arith.constant 0 : i32";
  buckets.kernel.score =
      "%y0 = arith.mulf %s, %scale : f32 %y2 = arith.subi %i, %j : index %y3 = arith.index_cast %y2 : index to i32 "
      "%y4 = arith.maxsi %y3, %first : i32 %y5 = arith.minsi %y4, %last : i32 %y6 = arith.index_cast %y5 : i32 to "
      "index %y7 = tensor.extract %table[%h, %y6] : tensor<2x16xf32> %y = arith.addf %y0, %y7 : f32";
  buckets.kernel.of = {{"%table", "tensor<2x16xf32>"}};
  buckets.captured = [](const AttendKernel &) { return std::vector{HostArray::random({2, 16}, 8)}; };
  Mechanism &terms = add("terms of keys and of rows");
  terms.kernel.captured = ", %kterm: tensor<2x?xf32>, %rterm: tensor<?xf32>, %shift: tensor<f32>";
  terms.kernel.score = "%y0 = arith.mulf %s, %scale : f32 %y1 = tensor.extract %kterm[%h, %j] : tensor<2x?xf32> "
                       "%y2 = tensor.extract %rterm[%i] : tensor<?xf32> %y3 = arith.mulf %y1, %y2 : f32 "
                       "%y4 = tensor.extract %shift[] : tensor<f32> %y5 = arith.mulf %y3, %y4 : f32 "
                       "%y = arith.addf %y0, %y5 : f32";
  terms.kernel.of = {{"%kterm", "tensor<2x?xf32>"}, {"%rterm", "tensor<?xf32>"}, {"%shift", "tensor<f32>"}};
  terms.captured = [](const AttendKernel &kernel) {
    return std::vector{HostArray::random({2, kernel.keys}, 8), HostArray::random({kernel.queries}, 9),
                       HostArray::random({}, 10, 1, 2)};
  };
  Mechanism &temperature = add("learned temperature");
  temperature.kernel.captured = ", %temperature: tensor<2xf32>";
  temperature.kernel.score = "%y0 = tensor.extract %temperature[%h] : tensor<2xf32> %y = arith.divf %s, %y0 : f32";
  temperature.kernel.of = {{"%temperature", "tensor<2xf32>"}};
  temperature.captured = [](const AttendKernel &) { return std::vector{HostArray::of({2}, std::vector<float>{3, 5})}; };
  return all;
}

std::vector<Mechanism> scoreMechanisms() {
  std::vector<Mechanism> all;
  auto add = [&](std::string name) -> Mechanism & { return all.emplace_back(Mechanism{std::move(name), {}}); };
  add("dot product").kernel.score = "%y = arith.addf %s, %c_zero : f32";
  all.back().kernel.constants = "%c_zero = arith.constant 0.0 : f32";
  Mechanism &cap = add("soft cap");
  cap.kernel.constants = "%cap = arith.constant 3.0 : f32";
  cap.kernel.score = std::string(softCap) + "%y = arith.mulf %y2, %cap : f32";
  cap.kernel.mask = causalMask;
  Mechanism &squared = add("squared product");
  squared.kernel.score = "%y = arith.mulf %s, %s : f32";
  squared.tolerance = 4e-5;
  Mechanism &frozen = add("frozen bias");
  frozen.kernel.captured = ", %bias: tensor<?x?x?xf32>";
  frozen.kernel.score = "%y0 = arith.mulf %s, %scale : f32 %y1 = tensor.extract %bias[%h, %i, %j] : tensor<?x?x?xf32> "
                        "%y = arith.addf %y0, %y1 : f32";
  frozen.captured = [](const AttendKernel &kernel) {
    return std::vector{HostArray::random({kernel.heads, kernel.queries, kernel.keys}, 7)};
  };
  Mechanism &bias = all.emplace_back(frozen);
  bias.name = "learned bias";
  bias.kernel.of = {{"%bias", "tensor<?x?x?xf32>"}};
  Mechanism &shared = add("learned bias of all heads under a soft cap");
  shared.kernel.captured = ", %bias: tensor<?x?xf32>";
  shared.kernel.mask = causalMask;
  shared.kernel.constants = "%cap = arith.constant 3.0 : f32";
  shared.kernel.score = std::string(softCap) + "%y3 = tensor.extract %bias[%i, %j] : tensor<?x?xf32> "
                                               "%y4 = arith.mulf %y2, %y3 : f32 %y = arith.mulf %y4, %cap : f32";
  shared.kernel.of = {{"%bias", "tensor<?x?xf32>"}};
  shared.captured = [](const AttendKernel &kernel) {
    return std::vector{HostArray::random({kernel.queries, kernel.keys}, 7)};
  };
  Mechanism &grouped = add("grouped heads");
  grouped.kernel.heads = 6;
  grouped.kernel.group = 3;
  grouped.kernel.mask = causalMask;
  Mechanism &lse = add("cotangent of lse");
  lse.kernel.hasLseCotangent = true;
  llvm::append_range(all, learnedMechanisms());
  return all;
}

/// Mechanisms that the tiled form does not accept.
std::vector<Mechanism> pairwiseMechanisms() {
  std::vector<Mechanism> all;
  auto add = [&](std::string name) -> Mechanism & { return all.emplace_back(Mechanism{std::move(name), {}}); };
  Mechanism &distance = add("squared distance");
  distance.kernel.dot = "%t0 = arith.subf %a, %b : f32 %t = arith.mulf %t0, %t0 : f32";
  distance.kernel.score = "%y = arith.negf %s : f32";
  distance.tolerance = 4e-5;
  Mechanism &ratio = add("shares");
  ratio.kernel.normaliser = "ratio";
  ratio.kernel.score = "%y0 = arith.mulf %s, %scale : f32 %y = math.exp %y0 : f32";
  ratio.kernel.mask = causalMask;
  Mechanism &triangle = add("shares of what may be nothing");
  triangle.kernel.normaliser = "ratio";
  triangle.kernel.constants = "%none = arith.constant 0.0 : f32 %some = arith.constant 2.0 : f32";
  triangle.kernel.score = "%y0 = arith.subf %s, %some : f32 %y = arith.maximumf %y0, %none : f32";
  triangle.tolerance = 4e-5;
  Mechanism &linear = add("weights times a learned factor");
  linear.kernel.captured = ", %gain: tensor<?xf32>";
  linear.kernel.weight = "%w0 = tensor.extract %gain[%j] : tensor<?xf32> %w = arith.mulf %p, %w0 : f32";
  linear.kernel.of = {{"%gain", "tensor<?xf32>"}};
  linear.captured = [](const AttendKernel &kernel) { return std::vector{HostArray::random({kernel.keys}, 5)}; };
  Mechanism &squared = add("squared weights");
  squared.kernel.weight = "%w = arith.mulf %p, %p : f32";
  squared.kernel.hasLseCotangent = true;
  Mechanism &shared = add("keys and a bias of pairs of keys");
  shared.kernel.group = 2;
  shared.kernel.captured = ", %bias: tensor<?xf32>";
  shared.kernel.dot = "%t0 = arith.subf %a, %b : f32 %t = math.absf %t0 : f32";
  shared.kernel.score = "%y1 = arith.floordivsi %j, %c2 : index %y2 = tensor.extract %bias[%y1] : tensor<?xf32> "
                        "%y = arith.subf %y2, %s : f32";
  shared.kernel.of = {{"%bias", "tensor<?xf32>"}};
  shared.tolerance = 4e-5;
  shared.captured = [](const AttendKernel &kernel) { return std::vector{HostArray::random({kernel.keys}, 5)}; };
  return all;
}

void PrintTo(const Mechanism &mechanism, std::ostream *out) { *out << mechanism.name; }

std::string mechanismName(const testing::TestParamInfo<Mechanism> &info) { return testName(info.param.name); }

class AttendGradient : public testing::TestWithParam<Mechanism> {};

TEST_P(AttendGradient, AgreesWithTheOracle) {
  const Mechanism &mechanism = GetParam();
  AttendGradientKernel kernel = mechanism.kernel;
  kernel.dim = 20;
  kernel.valueDim = 13;
  kernel.schedule = "tile_q = 24 : i64";
  ComparedKernel compiled(kernel.gradientText());
  // 50 and 83 are no multiples of a tile; 24 and 64 are one block; few keys, and one; more queries than keys and vice
  // versa.
  for (auto [queries, keys] : {std::pair<int64_t, int64_t>{50, 83}, {83, 50}, {24, 64}, {17, 17}, {9, 16}, {5, 1}}) {
    kernel.queries = queries;
    kernel.keys = keys;
    std::vector<HostArray> operands = kernel.operands();
    for (HostArray &each : mechanism.captured(kernel))
      operands.push_back(std::move(each));
    EXPECT_EQ(compareGradient(compiled, kernel, operands, mechanism.tolerance), "")
        << queries << " queries, " << keys << " keys";
  }
}

TEST_P(AttendGradient, AgreesWithTheOraclePairByPair) {
  const Mechanism &mechanism = GetParam();
  AttendGradientKernel kernel = mechanism.kernel;
  kernel.dim = 20;
  kernel.valueDim = 13;
  kernel.schedule = "form = \"pairs\"";
  ComparedKernel compiled(kernel.gradientText());
  for (auto [queries, keys] : {std::pair<int64_t, int64_t>{30, 83}, {64, 32}, {5, 1}}) {
    kernel.queries = queries;
    kernel.keys = keys;
    std::vector<HostArray> operands = kernel.operands();
    for (HostArray &each : mechanism.captured(kernel))
      operands.push_back(std::move(each));
    EXPECT_EQ(compareGradient(compiled, kernel, operands, 4 * mechanism.tolerance), "")
        << queries << " queries, " << keys << " keys";
  }
}

INSTANTIATE_TEST_SUITE_P(Pairwise, AttendGradient, testing::ValuesIn(pairwiseMechanisms()), mechanismName);
INSTANTIATE_TEST_SUITE_P(Masks, AttendGradient, testing::ValuesIn(maskMechanisms()), mechanismName);
INSTANTIATE_TEST_SUITE_P(Scores, AttendGradient, testing::ValuesIn(scoreMechanisms()), mechanismName);

//===------------------------------------------ special cases -----------------------------------------------------===//

TEST(AttendGradients, HeadSizes) {
  for (auto [dim, valueDim] :
       {std::pair<int64_t, int64_t>{16, 16}, {64, 64}, {33, 48}, {80, 80}, {100, 7}, {256, 256}, {1, 1}}) {
    AttendGradientKernel kernel;
    kernel.heads = 1;
    kernel.queries = 30;
    kernel.dim = dim;
    kernel.valueDim = valueDim;
    EXPECT_EQ(compareGradient(kernel, kernel.operands()), "") << dim << " " << valueDim;
  }
}

TEST(AttendGradients, StaticSizes) {
  AttendGradientKernel kernel;
  kernel.isStatic = true;
  kernel.mask = causalMask;
  for (auto [queries, keys] : {std::pair<int64_t, int64_t>{64, 64}, {130, 130}, {100, 41}, {12, 130}, {1, 70}}) {
    kernel.queries = queries;
    kernel.keys = keys;
    EXPECT_EQ(compareGradient(kernel, kernel.operands()), "") << queries << " " << keys;
  }
}

TEST(AttendGradients, ScheduleAttributesAreHonoured) {
  for (const char *schedule : {"tile_q = 16 : i64", "tile_q = 64 : i64, tile_kv = 128 : i64"}) {
    AttendGradientKernel kernel;
    kernel.heads = 1;
    kernel.queries = kernel.keys = 150;
    kernel.schedule = schedule;
    EXPECT_EQ(compareGradient(kernel, kernel.operands()), "") << schedule;
  }
}

TEST(AttendGradients, NarrowVectors) {
  AttendGradientKernel kernel;
  kernel.mask = causalMask;
  kernel.schedule = "tile_q = 24 : i64";
  EXPECT_EQ(compareGradient(kernel, kernel.operands(), 1e-5, "x86-64-v3"), "");
}

TEST(AttendGradients, NoRowsOrNoKeysYieldZeros) {
  AttendGradientKernel kernel;
  kernel.queries = 0;
  EXPECT_EQ(compareGradient(kernel, kernel.operands()), "");
  kernel.queries = 70;
  kernel.keys = 0;
  EXPECT_EQ(compareGradient(kernel, kernel.operands()), "");
}

TEST(AttendGradients, LargeScores) {
  AttendGradientKernel kernel;
  kernel.mask = causalMask;
  // Scores near 10^3 have a spacing of 2^-14, which the exponential makes a relative error.
  EXPECT_EQ(compareGradient(kernel, kernel.operands(16), 2e-3), "");
}

TEST(AttendGradients, MinusInfinityIsAsMasked) {
  AttendGradientKernel kernel;
  kernel.captured = ", %bias: tensor<?x?xf32>";
  kernel.score = "%y0 = tensor.extract %bias[%i, %j] : tensor<?x?xf32> %y = arith.addf %s, %y0 : f32";
  kernel.of = {{"%bias", "tensor<?x?xf32>"}};
  std::vector<HostArray> operands = kernel.operands();
  operands.push_back(HostArray::random({kernel.queries, kernel.keys}, 4));
  for (int64_t j = 0; j < kernel.keys; ++j) {
    operands[3].f32()[3 * kernel.keys + j] = -infinity; // the whole row
    if (j % 3)
      operands[3].f32()[5 * kernel.keys + j] = -infinity;
  }
  EXPECT_EQ(compareGradient(kernel, operands), "");
}

TEST(AttendGradients, NanStaysInItsRow) {
  AttendGradientKernel kernel;
  kernel.heads = 1;
  std::vector<HostArray> operands = kernel.operands();
  operands[0].f32()[5 * kernel.dim] = nan;
  KernelRunner runner(kernel.gradientText(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  HostArray dq = runner.run(kernel.gradientOperands(operands), kernel.gradientShapes(operands))[0];
  for (int64_t i = 0; i < dq.size(); ++i)
    EXPECT_EQ(std::isnan(dq.f32()[i]), i / kernel.dim == 5) << i;
}

TEST(AttendGradients, ValuesOfMaskedKeysDoNotCount) {
  AttendGradientKernel kernel;
  kernel.mask = "%w = arith.constant 80 : index %m = arith.cmpi slt, %j, %w : index";
  std::vector<HostArray> operands = kernel.operands();
  operands[2].f32()[85 * kernel.valueDim] = infinity;
  operands[2].f32()[86 * kernel.valueDim] = nan;
  EXPECT_EQ(compareGradient(kernel, operands), "");
}

/// A NaN in a row or key affects the pairs of this row or key, and no others.
TEST(AttendGradients, NanPassesNoMask) {
  AttendGradientKernel plain, biased, additive, capped;
  biased.captured = ", %bias: tensor<?xf32>";
  biased.score = "%y0 = tensor.extract %bias[%j] : tensor<?xf32> %y = arith.addf %s, %y0 : f32";
  additive.dot = "%t0 = arith.addf %a, %b : f32 %t = math.tanh %t0 : f32";
  capped.score = "%y0 = arith.mulf %s, %scale : f32 %y = math.tanh %y0 : f32";
  for (AttendGradientKernel kernel : {plain, biased, additive, capped})
    for (const char *mask : {causalMask, "%x = arith.addi %i, %j : index %x1 = arith.remsi %x, %c2 : index "
                                         "%m = arith.cmpi eq, %x1, %c0 : index"})
      for (const char *form : {"form = \"tiles\"", "form = \"pairs\""}) {
        kernel.mask = mask;
        kernel.schedule = form;
        ComparedKernel compiled(kernel.gradientText());
        std::vector<HostArray> forward = kernel.operands();
        if (!kernel.captured.empty())
          forward.push_back(HostArray::random({kernel.keys}, 4));
        size_t cotangent = forward.size();
        for (auto [operand, place] : {std::pair<size_t, int64_t>{0, 35}, {1, 67}, {2, 50}, {cotangent, 41}}) {
          std::vector<HostArray> changed = forward;
          if (operand < cotangent)
            changed[operand].f32()[place * kernel.dim + 3] = nan;
          std::vector<HostArray> operands = kernel.gradientOperands(changed);
          operands[operand].f32()[place * kernel.dim + 3] = nan;
          EXPECT_EQ(compiled.compare(operands, kernel.gradientShapes(forward), 1e-5), "")
              << kernel.score << kernel.dot << " " << mask << " " << form << " " << operand;
        }
      }
}

TEST(AttendGradients, OneTensorInAllPlaces) {
  std::string text = R"(func.func private @k(%x: tensor<2x?x32xf32>, %dy: tensor<2x?x32xf32>, %y: tensor<2x?x32xf32>,
      %l: tensor<2x?xf32>) -> tensor<2x?x32xf32> attributes {attn.kernel = "attend_gradient"} {
    %c1 = arith.constant 1 : index %c2 = arith.constant 2 : index %D = arith.constant 32 : index
    %N = tensor.dim %x, %c1 : tensor<2x?x32xf32>
    %r = attn.attend_gradient softmax outer(%c2, %N) keys(%N) values(%D) yields [value]
        cotangents(%dy : tensor<2x?x32xf32>) saved(%y, %l : tensor<2x?x32xf32>, tensor<2x?xf32>)
        of(%x : tensor<2x?x32xf32>)
      score(%h, %i, %j) {
        %s = attn.reduce add (%d) in (%D) {
          %a = tensor.extract %x[%h, %i, %d] : tensor<2x?x32xf32>
          %b = tensor.extract %x[%h, %j, %d] : tensor<2x?x32xf32>
          %t = arith.mulf %a, %b : f32
          attn.yield %t : f32 } : f32
        attn.yield %s : f32 }
      value(%h, %i, %j, %e) { %z = tensor.extract %x[%h, %j, %e] : tensor<2x?x32xf32> attn.yield %z : f32 }
    return %r : tensor<2x?x32xf32> })";
  AttendGradientKernel kernel;
  kernel.queries = kernel.keys = 70;
  kernel.score = "%y = arith.mulf %s, %one : f32";
  kernel.constants = "%one = arith.constant 1.0 : f32";
  HostArray x = HostArray::random({2, 70, 32}, 1);
  std::vector<HostArray> operands = kernel.gradientOperands({x, x, x});
  EXPECT_EQ(ComparedKernel(text).compare({x, operands[3], operands[4], operands[5]}, {x.shape}), "");
}

/// All batches share the queries: their gradient sums over the batch, which is processed in order.
TEST(AttendGradients, QueriesOfAllBatches) {
  std::string text = R"(func.func private @k(%q: tensor<?x24xf32>, %k: tensor<3x?x24xf32>, %dy: tensor<3x?x24xf32>,
      %y: tensor<3x?x24xf32>, %l: tensor<3x?xf32>) -> (tensor<?x24xf32>, tensor<3x?x24xf32>)
      attributes {attn.kernel = "attend_gradient"} {
    %c0 = arith.constant 0 : index %c1 = arith.constant 1 : index %c3 = arith.constant 3 : index
    %D = arith.constant 24 : index
    %N = tensor.dim %q, %c0 : tensor<?x24xf32> %M = tensor.dim %k, %c1 : tensor<3x?x24xf32>
    %r:2 = attn.attend_gradient softmax outer(%c3, %N) keys(%M) values(%D) yields [value]
        cotangents(%dy : tensor<3x?x24xf32>) saved(%y, %l : tensor<3x?x24xf32>, tensor<3x?xf32>)
        of(%q, %k : tensor<?x24xf32>, tensor<3x?x24xf32>)
      score(%h, %i, %j) {
        %s = attn.reduce add (%d) in (%D) {
          %a = tensor.extract %q[%i, %d] : tensor<?x24xf32>
          %b = tensor.extract %k[%h, %j, %d] : tensor<3x?x24xf32>
          %t = arith.mulf %a, %b : f32
          attn.yield %t : f32 } : f32
        attn.yield %s : f32 }
      value(%h, %i, %j, %e) { %z = tensor.extract %k[%h, %j, %e] : tensor<3x?x24xf32> attn.yield %z : f32 }
    return %r#0, %r#1 : tensor<?x24xf32>, tensor<3x?x24xf32> })";
  AttendGradientKernel kernel;
  kernel.heads = 3;
  kernel.dim = kernel.valueDim = 24;
  kernel.score = "%y = arith.mulf %s, %one : f32";
  kernel.constants = "%one = arith.constant 1.0 : f32";
  HostArray q = HostArray::random({70, 24}, 1), k = HostArray::random({3, 90, 24}, 2), all({3, 70, 24});
  for (int64_t batch = 0; batch < 3; ++batch)
    std::copy_n(q.f32(), q.size(), all.f32() + batch * q.size());
  std::vector<HostArray> operands = kernel.gradientOperands({all, k, k});
  EXPECT_EQ(ComparedKernel(text).compare({q, k, operands[3], operands[4], operands[5]}, {q.shape, k.shape}), "");
}

TEST(AttendGradients, SeveralKeyAndQueryIndices) {
  std::string types = "tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x5xf32>";
  std::string text = R"(func.func private @k(%q: tensor<?x?x8xf32>, %k: tensor<?x?x8xf32>, %v: tensor<?x?x5xf32>,
      %dy: tensor<?x?x5xf32>, %y: tensor<?x?x5xf32>, %l: tensor<?x?xf32>) -> (TYPES)
      attributes {attn.kernel = "attend_gradient"} {
    %c0 = arith.constant 0 : index %c1 = arith.constant 1 : index %c5 = arith.constant 5 : index
    %c8 = arith.constant 8 : index
    %Y = tensor.dim %q, %c0 : tensor<?x?x8xf32> %X = tensor.dim %q, %c1 : tensor<?x?x8xf32>
    %U = tensor.dim %k, %c0 : tensor<?x?x8xf32> %V = tensor.dim %k, %c1 : tensor<?x?x8xf32>
    %r:3 = attn.attend_gradient softmax outer(%Y, %X) keys(%U, %V) values(%c5) yields [value]
        cotangents(%dy : tensor<?x?x5xf32>) saved(%y, %l : tensor<?x?x5xf32>, tensor<?x?xf32>)
        of(%q, %k, %v : TYPES)
      score(%y0, %x, %u, %w) {
        %s = attn.reduce add (%d) in (%c8) {
          %a = tensor.extract %q[%y0, %x, %d] : tensor<?x?x8xf32>
          %b = tensor.extract %k[%u, %w, %d] : tensor<?x?x8xf32>
          %t = arith.mulf %a, %b : f32
          attn.yield %t : f32 } : f32
        attn.yield %s : f32 }
      mask(%y0, %x, %u, %w) { %m = arith.cmpi sle, %u, %y0 : index attn.yield %m : i1 }
      value(%y0, %x, %u, %w, %e) { %z = tensor.extract %v[%u, %w, %e] : tensor<?x?x5xf32> attn.yield %z : f32 }
      {value_layout = array<i64: 1, 0, 2>}
    return %r#0, %r#1, %r#2 : TYPES })";
  for (size_t at; (at = text.find("TYPES")) != std::string::npos;)
    text.replace(at, 5, types);
  std::vector<HostArray> operands = {HostArray::random({7, 11, 8}, 1), HostArray::random({9, 13, 8}, 2),
                                     HostArray::random({9, 13, 5}, 3), HostArray::random({11, 7, 5}, 4, -8, 8)};
  // The saved tensors: one head whose query 11 y + x attends to the keys up to 13 y + 12.
  AttendGradientKernel flat;
  flat.heads = 1;
  flat.queries = 77;
  flat.keys = 117;
  flat.dim = 8;
  flat.valueDim = 5;
  flat.constants = "%one = arith.constant 1.0 : f32 %c11 = arith.constant 11 : index %c13 = arith.constant 13 : index";
  flat.score = "%y = arith.mulf %s, %one : f32";
  flat.mask = "%u = arith.floordivsi %j, %c13 : index %y = arith.floordivsi %i, %c11 : index "
              "%m = arith.cmpi sle, %u, %y : index";
  auto reshaped = [](HostArray array, std::vector<int64_t> shape) {
    array.shape = std::move(shape);
    return array;
  };
  std::vector<HostArray> saved = flat.gradientOperands(
      {reshaped(operands[0], {1, 77, 8}), reshaped(operands[1], {1, 117, 8}), reshaped(operands[2], {1, 117, 5})});
  HostArray value({11, 7, 5});
  for (int64_t y = 0; y < 7; ++y)
    for (int64_t x = 0; x < 11; ++x)
      std::copy_n(saved[4].f32() + (y * 11 + x) * 5, 5, value.f32() + (x * 7 + y) * 5);
  operands.push_back(value);
  operands.push_back(reshaped(saved[5], {7, 11}));
  EXPECT_EQ(ComparedKernel(text).compare(operands, {{7, 11, 8}, {9, 13, 8}, {9, 13, 5}}), "");
}

TEST(AttendGradients, SameBitsOnAnyNumberOfThreads) {
  AttendGradientKernel kernel;
  kernel.heads = 6;
  kernel.group = 3;
  std::vector<HostArray> operands = kernel.operands(), all = kernel.gradientOperands(operands);
  KernelRunner runner(kernel.gradientText(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  RunOptions options;
  auto one = runner.run(all, kernel.gradientShapes(operands));
  options.workers = 3;
  auto three = runner.run(all, kernel.gradientShapes(operands), options);
  for (size_t i = 0; i < one.size(); ++i)
    EXPECT_EQ(one[i].bytes, three[i].bytes) << i;
}

TEST(AttendGradients, KeysOfAHeadInSplits) {
  for (auto [heads, group] : {std::pair<int64_t, int64_t>{1, 1}, {2, 1}, {3, 3}})
    for (const char *mask : {"", causalMask}) {
      AttendGradientKernel kernel;
      kernel.heads = heads;
      kernel.group = group;
      kernel.queries = 21;
      kernel.keys = 1700;
      kernel.dim = 20;
      kernel.valueDim = 13;
      kernel.mask = mask;
      EXPECT_EQ(compareGradient(kernel, kernel.operands()), "") << heads << " heads, " << mask;
    }
}

TEST(AttendGradients, SameBitsOfOneHeadOnAnyNumberOfThreads) {
  AttendGradientKernel kernel;
  kernel.heads = 1;
  kernel.keys = 2100;
  std::vector<HostArray> operands = kernel.operands(), all = kernel.gradientOperands(operands);
  KernelRunner runner(kernel.gradientText(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  auto one = runner.run(all, kernel.gradientShapes(operands));
  for (int workers : {2, 3, 4}) {
    RunOptions options;
    options.workers = workers;
    auto several = runner.run(all, kernel.gradientShapes(operands), options);
    for (size_t i = 0; i < one.size(); ++i)
      EXPECT_EQ(one[i].bytes, several[i].bytes) << i;
  }
}

TEST(AttendGradients, PartsOfSplitsGrowWithRowsAlone) {
  AttendGradientKernel kernel;
  kernel.heads = 1;
  kernel.dim = kernel.valueDim = 64;
  KernelRunner runner(kernel.gradientText(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  auto bytesAt = [&](int64_t queries, int64_t keys) {
    int64_t sizes[] = {queries, keys, keys, queries, queries, queries, queries, keys, keys};
    return runner.code().sharedBytes.evaluate(sizes);
  };
  EXPECT_EQ(bytesAt(1000, 512), 0);
  EXPECT_EQ(bytesAt(1000, 2048), 3 * 4 * 64 * 1000);
  EXPECT_EQ(bytesAt(1000, 1 << 20), 3 * 4 * 64 * 1000);
}

TEST(AttendGradients, ScratchGrowsWithRowsAlone) {
  AttendGradientKernel kernel;
  kernel.dim = kernel.valueDim = 128;
  KernelRunner runner(kernel.gradientText(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  auto bytesAt = [&](int64_t queries, int64_t keys) {
    int64_t sizes[] = {queries, keys, keys, queries, queries, queries, queries, keys, keys};
    return runner.code().workerBytes.evaluate(sizes);
  };
  EXPECT_LE(bytesAt(0, 0), 256 << 10);
  EXPECT_EQ(bytesAt(128, 1 << 20), bytesAt(128, 1));
  EXPECT_LE(bytesAt(4096, 4096) - bytesAt(0, 0), 2 * 4 * 4096);
}

TEST(AttendGradients, RefusesWhatItCannotDifferentiate) {
  AttendGradientKernel product;
  std::string text = product.gradientText();
  text.replace(text.find("attn.reduce add"), 15, "attn.reduce max");
  EXPECT_EQ(
      KernelRunner(text, *createCpuEmitter()).message(),
      "cpu does not take this kernel: a tensor that needs a gradient is read inside a reduction that is not a sum");
}

} // namespace
} // namespace attnc
