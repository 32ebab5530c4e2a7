#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "tests/compiler/Codegen/CPU/GemmChecks.h"
#include "gtest/gtest.h"

namespace attnc {
namespace {

/// Returns the number of chunks of the phase that multiplies parts of the depth (split K), or 0 without such a phase.
int64_t partsOf(const GemmCase &c, std::vector<int64_t> sizes, const std::string &targetName = "x86-64-v4") {
  KernelRunner runner(c.text(target(targetName)), *createCpuEmitter(), targetName);
  EXPECT_TRUE(runner) << runner.message();
  const KernelPhase &first = runner.code().phases.front();
  return first.symbol.ends_with(".parts") ? first.chunks.evaluate(sizes) : 0;
}

/// The product of the gradient of a weight with few features.
TEST(SplitKGemm, longDepthsInParts) {
  struct {
    int64_t m, n, k;
    const char *dynamic, *right;
  } products[] = {
      {128, 128, 1200, "", "kn"}, {3, 64, 45000, "k", "kn"}, {50, 17, 10007, "", "nk"}, {100, 40, 2400, "k", "nk"}};
  for (auto [m, n, k, dynamic, right] : products) {
    GemmCase c{"km", right, "mn"};
    c.sizes = {{'m', m}, {'n', n}, {'k', k}};
    c.dynamic = dynamic;
    EXPECT_GE(partsOf(c, {k, k}), 2) << m << " x " << n;
    check(c);
  }
  for (int64_t k : {0, 1, 200, 1600}) {
    GemmCase few{"km", "kn", "mn"};
    few.sizes = {{'m', 70}, {'n', 40}, {'k', k}};
    few.dynamic = "k";
    few.extras = {"n", "mn"};
    few.body = biasResidual;
    few.formula = [](double p, const double *x) { return p + x[0] + x[1]; };
    check(few);
  }
  GemmCase images{"bsm", "bsn", "mn"};
  images.sizes = {{'b', 2}, {'s', 700}, {'m', 65}, {'n', 120}};
  images.dynamic = "b";
  EXPECT_GE(partsOf(images, {2, 2}), 2);
  check(images);
  check(images, {}, "x86-64-v3");
  GemmCase matrices{"skm", "skn", "smn"};
  matrices.sizes = {{'s', 2}, {'m', 67}, {'n', 50}, {'k', 2800}};
  EXPECT_GE(partsOf(matrices, {}), 4);
  check(matrices);
  matrices.sizes = {{'s', 2}, {'m', 40}, {'n', 128}, {'k', 3000}}; // both operands are read in place
  check(matrices);
}

TEST(SplitKGemm, sumsInPartsOnlyWhereTheyAreFew) {
  GemmCase c{"km", "kn", "mn"};
  c.sizes = {{'m', 128}, {'n', 128}, {'k', 500}};
  EXPECT_EQ(partsOf(c, {}), 0);
  c.sizes['k'] = 1400;
  EXPECT_GE(partsOf(c, {}), 2);
  c.schedule = "{mc = 60 : i64}";
  EXPECT_EQ(partsOf(c, {}), 0);
  c.schedule = "{mr = 5 : i64, nr = 16 : i64, kc = 20 : i64}";
  EXPECT_GE(partsOf(c, {}), 2);
  check(c);
  GemmCase wide{"km", "kn", "mn"};
  wide.sizes = {{'m', 600}, {'n', 600}, {'k', 4000}};
  EXPECT_EQ(partsOf(wide, {}), 0);
}

/// With a dynamic depth, parts suffice for many cores, and their sums are small beside the operands.
TEST(SplitKGemm, partsAreManyAndTheirSumsFew) {
  for (auto [m, n] : {std::array{256, 256}, std::array{128, 512}, std::array{128, 128}}) {
    GemmCase c{"km", "kn", "mn"};
    c.sizes = {{'m', m}, {'n', n}, {'k', 1024}};
    c.dynamic = "k";
    KernelRunner runner(c.text(target()), *createCpuEmitter());
    ASSERT_TRUE(runner) << runner.message();
    const KernelPhase &products = runner.code().phases.front();
    ASSERT_TRUE(products.symbol.ends_with(".parts"));
    EXPECT_EQ(products.chunks.evaluate({0, 0}), 0);
    EXPECT_EQ(products.chunks.evaluate({1, 1}), m * n > 16384 ? 1 : 0) << "where sums are few, none is so short";
    EXPECT_GE(products.chunks.evaluate({1024, 1024}), m * n > 32768 ? 8 : 4) << m << " x " << n;
    for (int64_t k : {4096, 100000})
      EXPECT_GE(products.chunks.evaluate({k, k}), 8) << m << " x " << n;
    EXPECT_LE(runner.code().sharedBytes.evaluate({100000, 100000}), 100000 * (m + n)) << "bytes, of 4 * k * (m + n)";
  }
  RunOptions three;
  three.workers = 3;
  for (int64_t k : {1, 95, 97, 1000, 1537, 2311, 9000}) { // no number of parts divides these steps
    GemmCase c{"km", "kn", "mn"};
    c.sizes = {{'m', 128}, {'n', 96}, {'k', k}};
    c.dynamic = "k";
    EXPECT_GE(partsOf(c, {k, k}), k < 1000 ? 0 : 1);
    check(c, three);
  }
}

/// A dynamic depth that is short at run time needs no parts and no copies, for any columns and formula.
TEST(SplitKGemm, shortDepthsOfPartsAreReadAsTheyLie) {
  RunOptions three;
  three.workers = 3;
  for (auto [m, n] : {std::array{10, 288}, std::array{2, 5}, std::array{33, 50}, std::array{17, 97}})
    for (const char *targetName : {"native", "x86-64-v3"}) {
      GemmCase c{"km", "kn", "mn"};
      c.sizes = {{'m', m}, {'n', n}, {'k', 64}};
      c.dynamic = "k";
      KernelRunner runner(c.text(target(targetName)), *createCpuEmitter(), targetName);
      ASSERT_TRUE(runner) << runner.message();
      EXPECT_EQ(runner.code().phases.front().chunks.evaluate({64, 64}), 0);
      EXPECT_EQ(runner.code().sharedBytes.evaluate({64, 64}), 0);
      for (int64_t k : {0, 1, 3, 64, 95, 97, 129, 385}) { // up to one part, and beyond
        c.sizes['k'] = k;
        std::vector<HostArray> operands = c.operands();
        std::vector<double> expected, bound;
        c.reference(operands, expected, bound);
        HostArray result = runner.run(operands, {{m, n}}, three).front();
        for (size_t i = 0; i < expected.size(); ++i)
          ASSERT_NEAR(result.f32()[i], expected[i], bound[i])
              << m << " x " << n << ", depth " << k << ", element " << i;
      }
    }
  GemmCase images{"bsm", "bsn", "mn"};
  images.sizes = {{'b', 3}, {'s', 17}, {'m', 20}, {'n', 40}};
  images.dynamic = "b";
  images.extras = {"n"};
  images.body = biasGelu;
  images.formula = [](double p, const double *x) { return gelu(p + x[0]); };
  check(images);
  checkOverTheResidual(images);
}

/// A result of few columns is computed transposed: its rows run along the vectors, at any depth.
TEST(SplitKGemm, partsOfFewColumnsTurnRound) {
  RunOptions three;
  three.workers = 3;
  for (auto [m, n] : {std::array{64, 4}, std::array{110, 20}, std::array{288, 17}, std::array{33, 2}})
    for (const char *targetName : {"native", "x86-64-v3"})
      for (int64_t k : {0, 1, 64, 500, 3000}) {
        GemmCase c{"km", "kn", "mn"};
        c.sizes = {{'m', m}, {'n', n}, {'k', k}};
        c.dynamic = "k";
        check(c, three, targetName);
      }
  GemmCase images{"bsm", "bsn", "mn"};
  images.sizes = {{'b', 3}, {'s', 400}, {'m', 70}, {'n', 5}};
  images.dynamic = "b";
  checkOverTheResidual(images);
  GemmCase matrices{"skm", "skn", "smn"};
  matrices.sizes = {{'s', 2}, {'m', 67}, {'n', 6}, {'k', 30000}};
  EXPECT_GE(partsOf(matrices, {}), 4);
  check(matrices);
}

TEST(SplitKGemm, partsOnlyWhereAWorkersCopiesAreFew) {
  constexpr int64_t copies = 1 << 18, alignment = 128;
  for (auto [m, n] : {std::array{2, 32768}, std::array{32768, 2}, std::array{4, 16384}, std::array{65536, 1},
                      std::array{256, 256}, std::array{64, 1000}, std::array{1000, 64}}) {
    GemmCase c{"km", "kn", "mn"};
    c.sizes = {{'m', m}, {'n', n}, {'k', 5000}};
    c.dynamic = "k";
    KernelRunner runner(c.text(target()), *createCpuEmitter());
    ASSERT_TRUE(runner) << runner.message();
    bool inParts = runner.code().phases.front().symbol.ends_with(".parts");
    EXPECT_EQ(inParts, m + n < 2000) << m << " x " << n;
    if (inParts) {
      EXPECT_LE(runner.code().workerBytes.evaluate({5000, 5000}), copies + 2 * alignment) << m << " x " << n;
    }
  }
  GemmCase wide{"km", "kn", "mn"};
  wide.sizes = {{'m', 40}, {'n', 1200}, {'k', 3000}};
  wide.dynamic = "k";
  EXPECT_GE(partsOf(wide, {3000, 3000}), 8);
  check(wide);
}

/// Adjacent steps are read in place: those of left, those of right if it has whole panels, of both or of neither.
TEST(SplitKGemm, partsReadNearStepsAsTheyLie) {
  RunOptions three;
  three.workers = 3;
  struct {
    int64_t m, n;
    const char *targetName, *right;
    bool copies;
  } products[] = {{64, 128, "x86-64-v4", "kn", false}, {40, 512, "x86-64-v4", "kn", false},
                  {512, 32, "x86-64-v4", "kn", false}, {33, 96, "x86-64-v3", "kn", false},
                  {10, 288, "x86-64-v4", "kn", false}, {50, 100, "x86-64-v4", "kn", true},
                  {48, 128, "x86-64-v4", "nk", true},  {520, 64, "x86-64-v4", "kn", true},
                  {64, 560, "x86-64-v4", "kn", true},  {64, 8, "x86-64-v4", "kn", false},
                  {600, 5, "x86-64-v4", "kn", true}};
  for (const auto &product : products) {
    GemmCase c{"km", product.right, "mn"};
    c.sizes = {{'m', product.m}, {'n', product.n}, {'k', 3001}};
    c.dynamic = "k";
    KernelRunner runner(c.text(target(product.targetName)), *createCpuEmitter(), product.targetName);
    ASSERT_TRUE(runner) << runner.message();
    ASSERT_TRUE(runner.code().phases.front().symbol.ends_with(".parts"));
    // Without copies a worker's scratch is at most a tile and its transpose.
    EXPECT_EQ(runner.code().workerBytes.evaluate({3001, 3001}) > 12288, product.copies)
        << product.m << " x " << product.n;
    check(c, three);
    check(c, three, "x86-64-v3");
  }
}

TEST(SplitKGemm, partsOfStoredOperandsAreCopied) {
  for (const char *stored : {"bf16", "f16"}) {
    GemmCase c{"km", "kn", "mn"};
    c.sizes = {{'m', 64}, {'n', 128}, {'k', 3000}};
    c.stored = stored;
    KernelRunner runner(c.text(target()), *createCpuEmitter());
    ASSERT_TRUE(runner) << runner.message();
    EXPECT_GT(runner.code().workerBytes.evaluate({}), 12288) << stored;
  }
}

} // namespace
} // namespace attnc
