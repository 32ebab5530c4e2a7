// Compares attention kernels with the oracle: mechanisms times sizes, and named special cases.
#include "compiler/Codegen/Nest/KernelFrame.h"
#include "tests/compiler/Codegen/CPU/AttendMasks.h"
#include "tests/compiler/Codegen/CPU/AttendMechanisms.h"
#include "tests/support/FloatLimits.h"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

namespace attnc {
namespace {

//===------------------------------------------ mechanisms ------------------------------------------------------===//

TEST(AttendBlocks, KeysFillThemWithoutARemainder) {
  // A block with more rows than its tile would overwrite the neighbouring tile of the scratch.
  for (const char *name : {"scaled dot product", "learned bias"})
    for (const char *schedule : {"", "tile_kv = 16 : i64", "tile_q = 48 : i64, tile_kv = 64 : i64"})
      for (const Mechanism &mechanism : scoreMechanisms())
        if (mechanism.name == name) {
          AttendKernel kernel = mechanism.kernel;
          kernel.schedule = schedule;
          expectOracleAt(mechanism, kernel, {{64, 256}, {33, 390}});
        }
}

class AttendDecode : public testing::TestWithParam<Mechanism> {};

TEST_P(AttendDecode, AgreesWithTheOracle) {
  AttendKernel kernel = GetParam().kernel;
  kernel.hasStaticQueries = true;
  kernel.queries = 2;
  kernel.dim = 20;
  kernel.valueDim = 70;
  kernel.schedule = "form = \"decode\", split_kv = 300 : i64";
  // One key; less than a tile; several blocks and splits.
  expectOracleAt(GetParam(), kernel, {{2, 1}, {2, 13}, {2, 750}});
}

class AttendEither : public testing::TestWithParam<Mechanism> {};

TEST_P(AttendEither, FewRowsAndManyAgreeWithTheOracle) {
  AttendKernel kernel = GetParam().kernel;
  kernel.dim = 20;
  kernel.valueDim = 70;
  // One kernel for no query, one, the most of the decode form, and one more. 83 and 150 are no multiples of a tile, and
  // their tails have two narrow tiles; 48 is one tile of queries, 20 a tail alone; one key; more queries than keys and
  // vice versa.
  expectOracleAt(
      GetParam(), kernel,
      {{0, 30}, {1, 1}, {1, 750}, {3, 61}, {4, 600}, {5, 600}, {5, 1}, {20, 30}, {83, 150}, {150, 61}, {48, 64}});
}

INSTANTIATE_TEST_SUITE_P(Masks, AttendEither, testing::ValuesIn(maskMechanisms()), mechanismName);
INSTANTIATE_TEST_SUITE_P(Scores, AttendEither, testing::ValuesIn(scoreMechanisms()), mechanismName);
INSTANTIATE_TEST_SUITE_P(Masks, AttendDecode, testing::ValuesIn(maskMechanisms()), mechanismName);
INSTANTIATE_TEST_SUITE_P(Scores, AttendDecode, testing::ValuesIn(scoreMechanisms()), mechanismName);

//===------------------------------------------ special cases -----------------------------------------------------===//

TEST(Attend, HeadSizes) {
  for (auto [dim, valueDim] : {std::pair<int64_t, int64_t>{16, 16}, {33, 33}, {80, 80}, {100, 7}, {256, 256}, {1, 1}}) {
    AttendKernel kernel;
    kernel.dim = dim;
    kernel.valueDim = valueDim;
    EXPECT_EQ(compareWithOracle(kernel, kernel.operands()), "") << dim << " " << valueDim;
  }
}

TEST(Attend, StaticSizes) {
  AttendKernel kernel;
  kernel.isStatic = true;
  kernel.mask = causalMask;
  for (auto [queries, keys] : {std::pair<int64_t, int64_t>{96, 96}, {100, 41}, {65, 66}, {12, 130}, {1, 70}}) {
    kernel.queries = queries;
    kernel.keys = keys;
    EXPECT_EQ(compareWithOracle(kernel, kernel.operands()), "") << queries << " " << keys;
  }
}

TEST(Attend, ScheduleAttributesAreHonoured) {
  for (const char *schedule : {"tile_q = 16 : i64", "tile_q = 64 : i64, tile_kv = 32 : i64", "tile_kv = 128 : i64",
                               "tail_q = 0 : i64", "tail_q = 32 : i64", "tile_q = 32 : i64, tail_q = 32 : i64"}) {
    AttendKernel kernel;
    kernel.schedule = schedule;
    EXPECT_EQ(compareWithOracle(kernel, kernel.operands()), "") << schedule;
  }
}

/// Whole tiles, a tail and both, on each side of the numbers of queries where this changes.
TEST(Attend, TilesAndTheirTail) {
  for (const char *normaliser : {"softmax", "entmax(1.5)"}) {
    AttendKernel kernel;
    kernel.normaliser = normaliser;
    kernel.mask = causalMask;
    kernel.schedule = "decode_rows = 0 : i64";
    ComparedKernel compiled(kernel.text());
    for (int64_t queries : {1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 80, 96, 97, 128, 160, 161}) {
      kernel.queries = queries;
      for (int64_t keys : {queries, queries / 2 + 1}) {
        kernel.keys = keys;
        EXPECT_EQ(compiled.compare(kernel.operands(), kernel.resultShapes()), "") << queries << ", " << keys << " keys";
      }
    }
  }
}

/// A constant number of queries of whole tiles and a few more, which decode computes: one and the most, after one tile
/// and several, with a mask, heads that share keys, keys in several splits, and other results.
TEST(Attend, LastRowsByDecode) {
  struct Shape {
    int64_t queries, keys, group;
    const char *mask, *yields, *schedule;
    bool isByDecode; ///< the last queries
  };
  for (const Shape &shape : {Shape{49, 49, 1, "", "\"value\"", "", true},
                             {70, 41, 1, causalMask, "\"value\", \"lse\"", "", true},
                             {130, 700, 2, causalMask, "\"value\", \"lse\"", "split_kv = 300 : i64", true},
                             {17, 1, 4, "", "\"value\"", "", true},
                             {19, 0, 1, "", "\"value\"", "", true},
                             {71, 30, 1, "", "\"value\"", "", false},
                             {50, 30, 8, "", "\"value\"", "", false},
                             {81, 30, 1, "", "\"value\"", "", false},
                             {49, 30, 1, "", "\"value\", \"weights\"", "", false},
                             {49, 30, 1, "", "\"value\"", "decode_rows = 0 : i64", false}}) {
    AttendKernel kernel;
    kernel.heads = 8;
    kernel.group = shape.group;
    kernel.hasStaticQueries = true;
    kernel.queries = shape.queries;
    kernel.keys = shape.keys;
    kernel.mask = shape.mask;
    kernel.yields = shape.yields;
    kernel.schedule = shape.schedule;
    std::string name = fmt::format("{} queries, {} keys, {}", shape.queries, shape.keys, shape.schedule);
    ComparedKernel compiled(kernel.text());
    EXPECT_EQ(compiled.compare(kernel.operands(), kernel.resultShapes()), "") << name;
    bool isByDecode = llvm::any_of(compiled.runner.code().phases, [](const KernelPhase &phase) {
      return llvm::StringRef(phase.symbol).ends_with(".last");
    });
    EXPECT_EQ(isByDecode, shape.isByDecode) << name;
  }
}

TEST(Attend, NarrowVectors) {
  AttendKernel kernel;
  kernel.mask = causalMask;
  kernel.yields = "\"value\", \"lse\"";
  EXPECT_EQ(compareWithOracle(kernel, kernel.operands(), 4e-6, "x86-64-v3"), "");
}

TEST(Attend, EmptyBatch) {
  AttendKernel kernel;
  kernel.queries = 0;
  EXPECT_EQ(compareWithOracle(kernel, kernel.operands()), "");
}

TEST(Attend, NoKeysYieldZeros) {
  AttendKernel kernel;
  kernel.keys = 0;
  kernel.yields = "\"value\", \"lse\"";
  EXPECT_EQ(compareWithOracle(kernel, kernel.operands()), "");
}

TEST(Attend, FullyMaskedRowsYieldZeros) {
  AttendKernel kernel;
  kernel.yields = "\"value\", \"weights\", \"lse\"";
  kernel.mask = "%w = arith.constant 50 : index %x = arith.cmpi sgt, %i, %w : index "
                "%y = arith.cmpi sle, %j, %i : index %m = arith.andi %x, %y : i1";
  EXPECT_EQ(compareWithOracle(kernel, kernel.operands()), "");
}

TEST(Attend, EqualScores) {
  AttendKernel kernel;
  std::vector<HostArray> operands = kernel.operands();
  std::fill_n(operands[1].f32(), operands[1].size(), 0.25f);
  EXPECT_EQ(compareWithOracle(kernel, operands), "");
}

TEST(Attend, HugeScores) {
  AttendKernel kernel;
  kernel.mask = causalMask;
  // Scores near 10^5 have a spacing of 2^-7, which the exponential makes a relative error.
  EXPECT_EQ(compareWithOracle(kernel, kernel.operands(100), 0.1), "");
}

TEST(Attend, MinusInfinityIsAsMasked) {
  AttendKernel kernel;
  kernel.captured = ", %bias: tensor<?x?xf32>";
  kernel.score = "%y0 = tensor.extract %bias[%i, %j] : tensor<?x?xf32> %y = arith.addf %s, %y0 : f32";
  std::vector<HostArray> operands = kernel.operands();
  operands.push_back(HostArray::random({kernel.queries, kernel.keys}, 4));
  for (int64_t j = 0; j < kernel.keys; ++j) {
    operands[3].f32()[3 * kernel.keys + j] = -infinity; // the whole row
    if (j % 3)
      operands[3].f32()[5 * kernel.keys + j] = -infinity;
  }
  EXPECT_EQ(compareWithOracle(kernel, operands), "");
}

TEST(Attend, KeptNanAndInfinityMakeTheirRowNan) {
  AttendKernel kernel;
  kernel.captured = ", %bias: tensor<?x?xf32>";
  kernel.score = "%y0 = tensor.extract %bias[%i, %j] : tensor<?x?xf32> %y = arith.addf %s, %y0 : f32";
  kernel.mask = causalMask;
  for (const char *normaliser : {"softmax", "ratio"}) {
    kernel.normaliser = normaliser;
    std::vector<HostArray> operands = kernel.operands();
    operands.push_back(HostArray::random({kernel.queries, kernel.keys}, 4, 0.5, 1));
    operands[3].f32()[20 * kernel.keys + 3] = nan;
    operands[3].f32()[21 * kernel.keys + 20] = infinity;
    operands[3].f32()[22 * kernel.keys + 40] = nan; // masked
    EXPECT_EQ(compareWithOracle(kernel, operands, 1e-4), "") << normaliser;
  }
}

//===------------------------------------------ values of dropped pairs -------------------------------------------===//

/// A kernel of either form over 90 keys; the tests set its mask.
class AttendDropped : public testing::TestWithParam<bool> {
protected:
  AttendKernel kernel = [] {
    AttendKernel kernel;
    kernel.valueDim = 37;
    kernel.hasStaticQueries = GetParam();
    kernel.queries = GetParam() ? 3 : 70;
    return kernel;
  }();
  /// Masks key 45 for every query.
  void maskKey45() {
    kernel.constants = "%k45 = arith.constant 45 : index";
    kernel.mask = "%m = arith.cmpi ne, %j, %k45 : index";
  }
  void fillValue(std::vector<HostArray> &operands, int64_t key, float with) {
    std::fill_n(operands[2].f32() + key * kernel.valueDim, kernel.valueDim, with);
  }
  void expectOracle(const std::vector<HostArray> &operands) {
    for (const char *target : {"native", "x86-64-v3"})
      for (const char *normaliser : {"softmax", "ratio"}) {
        kernel.normaliser = normaliser;
        EXPECT_EQ(compareWithOracle(kernel, operands, 1e-4, target), "") << normaliser << " " << target;
      }
  }
};

TEST_P(AttendDropped, MaskedNanValue) {
  maskKey45();
  kernel.score = "%y = math.absf %s : f32";
  std::vector<HostArray> operands = kernel.operands();
  fillValue(operands, 45, nan);
  expectOracle(operands);
}

TEST_P(AttendDropped, MaskedInfiniteValue) {
  maskKey45();
  std::vector<HostArray> operands = kernel.operands();
  operands[2].f32()[45 * kernel.valueDim + 36] = -infinity;
  EXPECT_EQ(compareWithOracle(kernel, operands), "");
}

TEST_P(AttendDropped, CausalWithNanInALaterValue) {
  kernel.mask = causalMask;
  kernel.yields = "\"value\", \"lse\"";
  std::vector<HostArray> operands = kernel.operands();
  fillValue(operands, kernel.queries / 2, nan); // later queries attend to it
  EXPECT_EQ(compareWithOracle(kernel, operands), "");
}

TEST_P(AttendDropped, ScoreOfMinusInfinityWithInfiniteValue) {
  kernel.captured = ", %bias: tensor<?x?xf32>";
  kernel.score = "%y0 = tensor.extract %bias[%i, %j] : tensor<?x?xf32> %y1 = math.absf %s : f32 "
                 "%y = arith.addf %y1, %y0 : f32";
  std::vector<HostArray> operands = kernel.operands();
  operands.push_back(HostArray::random({kernel.queries, kernel.keys}, 4, 0.5, 1));
  for (int64_t i = 0; i < kernel.queries; i += 2) // the other queries attend to it
    operands[3].f32()[i * kernel.keys + 20] = -infinity;
  fillValue(operands, 20, infinity);
  expectOracle(operands);
}

TEST_P(AttendDropped, FinalWeightsWithMaskedNanValue) {
  maskKey45();
  kernel.weight = "%w = arith.mulf %p, %p : f32";
  std::vector<HostArray> operands = kernel.operands();
  fillValue(operands, 45, nan);
  EXPECT_EQ(compareWithOracle(kernel, operands), "");
}

/// An unmasked key whose dot products are -inf: docs/language.md specifies the effect of its value.
TEST_P(AttendDropped, ProductOfMinusInfinity) {
  std::vector<HostArray> operands = kernel.operands();
  for (int64_t i = 0; i < operands[0].size(); i += kernel.dim)
    operands[0].f32()[i] = 0.5f;
  for (int64_t h = 0; h < kernel.heads; ++h)
    operands[1].f32()[(h * kernel.keys + 20) * kernel.dim] = -infinity;
  EXPECT_EQ(compareWithOracle(kernel, operands), "") << "a finite value is dropped";
  KernelRunner runner(kernel.text(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  HostArray expected = runner.run(operands, kernel.resultShapes())[0];
  for (float value : {nan, infinity}) {
    fillValue(operands, 20, value);
    HostArray found = runner.run(operands, kernel.resultShapes())[0];
    for (int64_t i = 0; i < found.size(); ++i)
      ASSERT_TRUE(std::isnan(found.f32()[i]) || found.f32()[i] == expected.f32()[i]) << value << " at " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, AttendDropped, testing::Bool(),
                         [](const testing::TestParamInfo<bool> &info) { return info.param ? "Decode" : "Prefill"; });

//===------------------------------------------ threads, scratch, checks, forms ---------------------------------===//

/// Exponentials have base two, so that a score times log2 e must be finite: a row of -3e38 has no weights.
TEST(Attend, ScoresBelowTheRangeAreAsMasked) {
  AttendKernel kernel;
  kernel.captured = ", %bias: tensor<?x?xf32>";
  kernel.score = "%y0 = tensor.extract %bias[%i, %j] : tensor<?x?xf32> %y = arith.addf %s, %y0 : f32";
  std::vector<HostArray> operands = kernel.operands(), masked;
  operands.push_back(HostArray::random({kernel.queries, kernel.keys}, 4));
  masked = operands;
  for (int64_t j = 0; j < kernel.keys; ++j)
    for (int64_t i : {3, 5, 6})
      if (i != 5 || j % 3) {
        operands[3].f32()[i * kernel.keys + j] = i == 6 ? -2e38f : -3e38f;
        masked[3].f32()[i * kernel.keys + j] = i == 6 ? -2e38f : -infinity;
      }
  EXPECT_EQ(compareWithOracle(kernel, masked), "");
  KernelRunner runner(kernel.text(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  EXPECT_EQ(runner.run(operands, kernel.resultShapes())[0].bytes, runner.run(masked, kernel.resultShapes())[0].bytes);
}

TEST(Attend, SameBitsOnManyThreads) {
  AttendKernel kernel;
  kernel.queries = kernel.keys = 333;
  kernel.mask = causalMask;
  KernelRunner runner(kernel.text(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  RunOptions threads;
  threads.workers = 4;
  auto one = runner.run(kernel.operands(), kernel.resultShapes());
  auto four = runner.run(kernel.operands(), kernel.resultShapes(), threads);
  EXPECT_EQ(one[0].bytes, four[0].bytes);
}

TEST(Attend, ScratchDoesNotGrowWithTheLengths) {
  AttendKernel kernel;
  kernel.dim = kernel.valueDim = 128;
  kernel.captured = ", %bias: tensor<?x?x?xf32>";
  kernel.score = "%y0 = tensor.extract %bias[%h, %i, %j] : tensor<?x?x?xf32> %y = arith.addf %s, %y0 : f32";
  KernelRunner runner(kernel.text(), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  ASSERT_TRUE(runner.code().workerBytes.isConstant());
  EXPECT_LT(runner.code().workerBytes.constant(), 1 << 18);
  EXPECT_EQ(runner.code().sharedBytes.evaluate({1024, 65536, 65536, 1024, 65536, 1024}), 0);
}

TEST(Attend, SubscriptsFromDataAreChecked) { expectCheckedSubscripts("native"); }

TEST(Attend, SeveralKeyAndQueryIndices) {
  std::string text = R"(func.func private @k(%q: tensor<?x?x8xf32>, %k: tensor<?x?x8xf32>, %v: tensor<?x?x5xf32>)
      -> tensor<5x?x?xf32> attributes {attn.kernel = "attend"} {
    %c0 = arith.constant 0 : index %c1 = arith.constant 1 : index %c5 = arith.constant 5 : index
    %c8 = arith.constant 8 : index
    %Y = tensor.dim %q, %c0 : tensor<?x?x8xf32> %X = tensor.dim %q, %c1 : tensor<?x?x8xf32>
    %U = tensor.dim %k, %c0 : tensor<?x?x8xf32> %V = tensor.dim %k, %c1 : tensor<?x?x8xf32>
    %r = attn.attend softmax outer(%Y, %X) keys(%U, %V) values(%c5) yields ["value"]
      score(%y, %x, %u, %w) {
        %s = attn.reduce add (%d) in (%c8) {
          %a = tensor.extract %q[%y, %x, %d] : tensor<?x?x8xf32>
          %b = tensor.extract %k[%u, %w, %d] : tensor<?x?x8xf32>
          %t = arith.mulf %a, %b : f32
          attn.yield %t : f32 } : f32
        attn.yield %s : f32 }
      mask(%y, %x, %u, %w) { %m = arith.cmpi sle, %u, %y : index attn.yield %m : i1 }
      value(%y, %x, %u, %w, %e) { %z = tensor.extract %v[%u, %w, %e] : tensor<?x?x5xf32> attn.yield %z : f32 }
      {value_layout = array<i64: 2, 0, 1>} : tensor<5x?x?xf32>
    return %r : tensor<5x?x?xf32> })";
  std::vector<HostArray> operands = {HostArray::random({7, 11, 8}, 1), HostArray::random({9, 13, 8}, 2),
                                     HostArray::random({9, 13, 5}, 3)};
  EXPECT_EQ(ComparedKernel(text).compare(operands, {{5, 7, 11}}), "");
}

TEST(Attend, RefusesSizesThatAreComputed) {
  KernelRunner runner(R"(func.func private @k(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?xf32>
      attributes {attn.kernel = "attend"} {
    %c0 = arith.constant 0 : index
    %N = tensor.dim %x, %c0 : tensor<?xf32>
    %l = tensor.extract %n[] : tensor<i32>
    %L = arith.index_cast %l : i32 to index
    %r = attn.attend softmax outer(%N) keys(%L) values() yields ["value"]
      score(%i, %j) { %s = tensor.extract %x[%j] : tensor<?xf32> attn.yield %s : f32 }
      value(%i, %j) { %s = tensor.extract %x[%j] : tensor<?xf32> attn.yield %s : f32 } : tensor<?xf32>
    return %r : tensor<?xf32> })",
                      *createCpuEmitter());
  EXPECT_EQ(runner.message(),
            "cpu does not take this kernel: a size of attn.attend is not a function of the kernel's sizes");
}

} // namespace
} // namespace attnc
