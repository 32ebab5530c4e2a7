#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/CPU/Gemm/Packing.h"
#include "tests/compiler/Codegen/CPU/GemmCase.h"
#include "gtest/gtest.h"
#include <cmath>

namespace attnc {
namespace {

Target target(const std::string &name = "native") { return llvm::cantFail(Target::resolve(name)); }

/// Runs the case on `targetName` with these options, and compares each element.
void check(const GemmCase &c, const RunOptions &options = {}, const std::string &targetName = "native") {
  Target on = target(targetName);
  KernelRunner runner(c.text(on), *createCpuEmitter(), targetName);
  ASSERT_TRUE(runner) << runner.message() << c.text(on);
  std::vector<HostArray> operands = c.operands();
  std::vector<double> expected, bound;
  c.reference(operands, expected, bound);
  if (c.packed)
    operands[1] = c.pack(operands[1], c.panelColumns(on));
  HostArray result = runner.run(operands, {c.shapeOf(c.out)}, options).front();
  ASSERT_EQ(runner.status(), 0);
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(result.f32()[i], expected[i], bound[i]) << "element " << i << " of\n" << c.text(on);
}

GemmCase matrices(int64_t m, int64_t n, int64_t k, bool packed, const std::string &dynamic = "",
                  const std::string &right = "kn") {
  GemmCase c{"mk", right, "mn"};
  c.sizes = {{'m', m}, {'n', n}, {'k', k}};
  c.packed = packed;
  c.dynamic = dynamic;
  return c;
}

const char *biasGelu = R"(%z = arith.addf %p, %x0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0.7978845608 : f32
  %c1 = arith.constant 0.044715 : f32
  %b2 = arith.mulf %z, %z : f32
  %b3 = arith.mulf %b2, %z : f32
  %i0 = arith.mulf %b3, %c1 : f32
  %i1 = arith.addf %z, %i0 : f32
  %i2 = arith.mulf %i1, %c0 : f32
  %th = math.tanh %i2 : f32
  %o = arith.addf %th, %one : f32
  %h = arith.mulf %z, %half : f32
  %y = arith.mulf %h, %o : f32)";

double gelu(double x) { return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x))); }

const char *biasResidual = "%t = arith.addf %p, %x0 : f32\n  %y = arith.addf %t, %x1 : f32";

/// With a bias, and a residual in the place of the result.
void checkOverTheResidual(GemmCase c) {
  c.extras = {"n", "mn"};
  c.body = biasResidual;
  c.formula = [](double p, const double *x) { return p + x[0] + x[1]; };
  c.inPlaceExtra = 1;
  RunOptions inPlace;
  inPlace.inPlaceOperand = 3;
  check(c, inPlace);
}

TEST(Gemm, everySmallShape) {
  for (int64_t m : {1, 3})
    for (int64_t n : {1, 17})
      for (int64_t k : {1, 6})
        for (bool packed : {false, true})
          check(matrices(m, n, k, packed));
}

TEST(Gemm, shapesThatNoTileDivides) {
  struct {
    int64_t m, n, k;
  } shapes[] = {{9, 50, 67}, {13, 97, 769}, {31, 131, 1545}, {33, 48, 768}, {67, 149, 101}, {3, 1678, 6}};
  for (auto [m, n, k] : shapes)
    for (bool packed : {false, true})
      for (const char *right : {"kn", "nk"})
        check(matrices(m, n, k, packed, "", right));
}

/// Few rows against a matrix that nobody packs: it is read as it lies, and a chunk has several of a batch.
TEST(Gemm, fewRowsReadTheRightOperandAsItLies) {
  for (int64_t rows : {1, 3, 8})
    for (int64_t columns : {16, 64, 192})
      for (int64_t depth : {1, 5, 64, 700})
        for (int64_t batch : {1, 2, 300}) {
          GemmCase c{"bmk", "bkn", "bmn"};
          c.sizes = {{'b', batch}, {'m', rows}, {'n', columns}, {'k', depth}};
          c.dynamic = "b";
          if (batch * rows * columns * depth > (1 << 22))
            continue;
          check(c);
          KernelRunner runner(c.text(target()), *createCpuEmitter());
          ASSERT_TRUE(runner) << runner.message();
          EXPECT_EQ(runner.code().phases.size(), 1u) << rows << " " << columns;
        }
  check(matrices(2, 64, 40, false, "k"), {}, "x86-64-v3");
}

TEST(Gemm, sizesKnownAtRunTime) {
  for (int64_t m : {1, 8, 9, 41})
    check(matrices(m, 70, 40, true, "m"));
  for (int64_t k : {511, 515})
    check(matrices(10, 33, k, false, "mkn"));
  check(matrices(10, 33, 300, false, "mkn", "nk"));
}

TEST(Gemm, manyPanelsArePackedOneByOne) {
  for (const char *right : {"kn", "nk"})
    for (int64_t m : {1, 8, 41}) {
      check(matrices(m, 5009, 35, false, "", right));
      check(matrices(m, 5009, 35, false, "mk", right));
    }
  GemmCase several{"bmk", "bkn", "bmn"};
  several.sizes = {{'b', 2}, {'m', 37}, {'n', 4100}, {'k', 19}};
  check(several);
  GemmCase turned{"km", "kn", "mn"}; // the gradient of a table of 4100 rows
  turned.sizes = {{'m', 21}, {'n', 4100}, {'k', 400}};
  turned.dynamic = "k";
  check(turned);
  RunOptions shared;
  shared.workers = 3;
  check(turned, shared);
}

TEST(Gemm, scratchIsAPanelWhereThereAreMany) {
  GemmCase c = matrices(100, 50257, 700, false, "k");
  KernelRunner runner(c.text(target()), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  EXPECT_EQ(runner.code().sharedBytes.evaluate({700, 700}), 0);
  EXPECT_LE(runner.code().workerBytes.evaluate({700, 700}), 4 * (700 + 64) * c.panelColumns(target()));
}

TEST(Gemm, anEmptySum) { check(matrices(5, 20, 0, false, "k")); }

TEST(Gemm, noRows) {
  GemmCase c = matrices(0, 20, 8, true, "m");
  Target on = target();
  KernelRunner runner(c.text(on), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  std::vector<HostArray> operands = c.operands();
  operands[1] = c.pack(operands[1], c.panelColumns(on));
  EXPECT_EQ(runner.run(operands, {{0, 20}}).front().size(), 0);
}

/// Known to be none, of one operand and the other, in each order.
TEST(Gemm, noRowsAndNoColumns) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>{0, 16}, {0, 50}, {30, 0}, {3, 0}, {0, 0}})
    for (std::string left : {"mk", "km"})
      for (std::string right : {"kn", "nk"})
        for (bool packed : {false, true}) {
          GemmCase c{left, right, "mn"};
          c.sizes = {{'m', m}, {'n', n}, {'k', 4}};
          c.packed = packed;
          KernelRunner runner(c.text(target()), *createCpuEmitter());
          ASSERT_TRUE(runner) << runner.message();
          std::vector<HostArray> operands = c.operands();
          if (packed)
            operands[1] = c.pack(operands[1], c.panelColumns(target()));
          EXPECT_EQ(runner.run(operands, {{m, n}}).front().size(), 0);
        }
}

TEST(Gemm, eachPanelWidth) {
  for (int64_t n : {16, 32, 48, 64, 128, 144})
    for (int64_t m : {1, 5, 20})
      check(matrices(m, n, 30, true));
}

TEST(Gemm, scheduleFromTheKernel) {
  GemmCase c = matrices(50, 100, 200, false);
  c.schedule = "{mr = 6 : i64, nr = 64 : i64, kc = 64 : i64, mc = 12 : i64}";
  check(c);
}

TEST(Gemm, avx2) {
  for (int64_t m : {1, 2, 3, 6, 7, 40})
    for (const char *right : {"kn", "nk"})
      check(matrices(m, 37, 259, false, "", right), {}, "x86-64-v3");
  check(matrices(13, 64, 100, true, "m"), {}, "x86-64-v3");
}

TEST(Gemm, biasAndResidualOverTheResult) {
  for (int64_t m : {1, 20}) {
    GemmCase c = matrices(m, 70, 400, true);
    c.extras = {"n", "mn"};
    c.body = biasResidual;
    c.formula = [](double p, const double *x) { return p + x[0] + x[1]; };
    check(c);
    RunOptions inPlace;
    inPlace.inPlaceOperand = 3;
    c.inPlaceExtra = 1;
    check(c, inPlace);
  }
}

// Few rows repeat the last one, and tiles may overlap: each element is stored once, since the residual lies there.
TEST(Gemm, anyNumberOfRowsOverTheResidual) {
  Target on = target();
  GemmCase c = matrices(1, 70, 50, true, "m");
  c.extras = {"n", "mn"};
  c.body = biasResidual;
  c.formula = [](double p, const double *x) { return p + x[0] + x[1]; };
  c.inPlaceExtra = 1;
  KernelRunner runner(c.text(on), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  for (int64_t m = 1; m <= 50; ++m)
    for (bool guardBefore : {false, true}) {
      c.sizes['m'] = m;
      std::vector<HostArray> operands = c.operands();
      std::vector<double> expected, bound;
      c.reference(operands, expected, bound);
      operands[1] = c.pack(operands[1], c.panelColumns(on));
      RunOptions options;
      options.inPlaceOperand = 3;
      options.guardBefore = guardBefore;
      HostArray result = runner.run(operands, {{m, 70}}, options).front();
      for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(result.f32()[i], expected[i], bound[i]) << m << " rows, element " << i;
    }
}

/// Sums of a short depth go from registers to the result, each once: tiles of rows may overlap.
TEST(Gemm, shortDepthsOverTheResidual) {
  for (const char *targetName : {"native", "x86-64-v3"})
    for (int64_t k : {1, 4, 10, 32}) {
      Target on = target(targetName);
      GemmCase c = matrices(1, 70, k, k != 10, "m", k == 10 ? "nk" : "kn");
      c.extras = {"n", "mn"};
      c.body = biasResidual;
      c.formula = [](double p, const double *x) { return p + x[0] + x[1]; };
      c.inPlaceExtra = 1;
      KernelRunner runner(c.text(on), *createCpuEmitter(), targetName);
      ASSERT_TRUE(runner) << runner.message();
      for (int64_t m : {1, 2, 7, 8, 9, 13, 14, 17, 19, 29, 31, 40, 41}) {
        c.sizes['m'] = m;
        std::vector<HostArray> operands = c.operands();
        std::vector<double> expected, bound;
        c.reference(operands, expected, bound);
        if (c.packed)
          operands[1] = c.pack(operands[1], c.panelColumns(on));
        RunOptions options;
        options.inPlaceOperand = 3;
        HostArray result = runner.run(operands, {{m, 70}}, options).front();
        for (size_t i = 0; i < expected.size(); ++i)
          ASSERT_NEAR(result.f32()[i], expected[i], bound[i]) << m << " rows, depth " << k << ", element " << i;
      }
    }
}

TEST(Gemm, shortDepthsOfManyShapes) {
  for (int64_t m : {15, 40, 97})
    for (int64_t n : {1, 33, 64})
      for (const char *right : {"kn", "nk"})
        check(matrices(m, n, 7, false, "", right));
  for (const char *dynamic : {"", "bs", "bsn"}) { // rows of two loops, whose coordinates differ from row to row
    GemmCase c{"bsk", "kn", "bsn"};
    c.sizes = {{'b', 5}, {'s', 7}, {'k', 12}, {'n', 50}};
    c.dynamic = dynamic;
    c.extras = {"sn", "bs"};
    c.body = "%t = arith.addf %p, %x0 : f32\n  %y = arith.mulf %t, %x1 : f32";
    c.formula = [](double p, const double *x) { return (p + x[0]) * x[1]; };
    check(c);
  }
  GemmCase heads{"bsk", "khd", "bhsd"};
  heads.sizes = {{'b', 2}, {'s', 29}, {'k', 8}, {'h', 3}, {'d', 32}};
  heads.dynamic = "s";
  heads.packed = true;
  check(heads);
  RunOptions two;
  two.workers = 2;
  check(matrices(300, 5009, 9, false), two); // panels are packed one by one
}

TEST(Gemm, geluOfBias) {
  GemmCase c = matrices(19, 70, 100, true);
  c.extras = {"n"};
  c.body = biasGelu;
  c.formula = [](double p, const double *x) { return gelu(p + x[0]); };
  check(c);
}

TEST(Gemm, rowsOfBatchAndSequence) {
  for (const char *dynamic : {"", "bs"}) {
    GemmCase c{"bsk", "kn", "bsn"};
    c.sizes = {{'b', 3}, {'s', 7}, {'k', 65}, {'n', 50}};
    c.dynamic = dynamic;
    c.packed = true;
    c.extras = {"sn", "bs"};
    c.body = "%t = arith.addf %p, %x0 : f32\n  %y = arith.mulf %t, %x1 : f32";
    c.formula = [](double p, const double *x) { return (p + x[0]) * x[1]; };
    check(c);
  }
}

TEST(Gemm, indicesInTheEpilogue) {
  GemmCase c = matrices(11, 50, 20, true);
  c.extras = {"m"};
  c.body = R"(%i = linalg.index 1 : index
  %v = arith.index_cast %i : index to i32
  %f = arith.sitofp %v : i32 to f32
  %g = arith.mulf %f, %x0 : f32
  %z = arith.constant 0.0 : f32
  %h = arith.mulf %g, %z : f32
  %y = arith.addf %p, %h : f32)";
  c.formula = [](double p, const double *) { return p; };
  check(c);
}

TEST(Gemm, separateMatrices) {
  for (const char *right : {"bkn", "bnk"})
    for (const char *dynamic : {"", "bmnk"})
      for (bool packed : {false, true}) {
        if (packed && *dynamic)
          continue;
        GemmCase c{"bmk", right, "bmn"};
        c.sizes = {{'b', 3}, {'m', 10}, {'n', 55}, {'k', 33}};
        c.dynamic = dynamic;
        c.packed = packed;
        check(c);
      }
}

TEST(Gemm, headsSplitFromColumns) {
  GemmCase c{"bsk", "khd", "bhsd"};
  c.sizes = {{'b', 2}, {'s', 9}, {'k', 50}, {'h', 3}, {'d', 32}};
  c.dynamic = "s";
  c.packed = true;
  c.extras = {"hd"};
  c.body = "%y = arith.addf %p, %x0 : f32";
  c.formula = [](double p, const double *x) { return p + x[0]; };
  check(c);
}

TEST(Gemm, headsSummedWithFeatures) {
  for (int64_t s : {1, 9}) {
    GemmCase c{"bhsd", "hdn", "bsn"};
    c.sizes = {{'b', 2}, {'s', s}, {'n', 50}, {'h', 3}, {'d', 20}};
    c.packed = true;
    check(c);
  }
}

TEST(Gemm, leftTransposed) {
  GemmCase c{"km", "kn", "mn"};
  c.sizes = {{'m', 21}, {'n', 50}, {'k', 70}};
  check(c);
}

/// As the gradient of a weight reads it: blocks of its rows are copied, a chunk of k after the other.
TEST(Gemm, leftTransposedInBlocks) {
  for (auto [m, n, k] : {std::array{70, 100, 50}, std::array{100, 600, 800}, std::array{1030, 33, 385}})
    for (const char *dynamic : {"", "k", "mk"}) {
      GemmCase c{"km", "kn", "mn"};
      c.sizes = {{'m', m}, {'n', n}, {'k', k}};
      c.dynamic = dynamic;
      check(c);
    }
  GemmCase c{"skm", "skn", "smn"};
  c.sizes = {{'s', 3}, {'m', 67}, {'n', 50}, {'k', 40}};
  check(c);
  GemmCase weight{"bsm", "bsn", "mn"};
  weight.sizes = {{'b', 3}, {'s', 140}, {'m', 65}, {'n', 120}};
  weight.dynamic = "bs";
  check(weight);
}

/// The number of chunks of the phase that multiplies parts of the depth; 0 where there is none.
int64_t partsOf(const GemmCase &c, std::vector<int64_t> sizes, const std::string &targetName = "native") {
  KernelRunner runner(c.text(target(targetName)), *createCpuEmitter(), targetName);
  EXPECT_TRUE(runner) << runner.message();
  const KernelPhase &first = runner.code().phases.front();
  return first.symbol.ends_with(".parts") ? first.chunks.evaluate(sizes) : 0;
}

/// As the gradient of a weight of few features reads it.
TEST(Gemm, longDepthsInParts) {
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
}

TEST(Gemm, sumsInPartsOnlyWhereTheyAreFew) {
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

/// Of a depth known at run time, short or long: there is work for many cores, and sums stay few beside the operands.
TEST(Gemm, partsAreManyAndTheirSumsFew) {
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
  for (int64_t k : {1, 95, 97, 1000, 1537, 2311, 9000}) { // lots of steps that no number of parts divides
    GemmCase c{"km", "kn", "mn"};
    c.sizes = {{'m', 128}, {'n', 96}, {'k', k}};
    c.dynamic = "k";
    EXPECT_GE(partsOf(c, {k, k}), k < 1000 ? 0 : 1);
    check(c, three);
  }
}

/// Depths that are known at run time and turn out short: no parts, no copies, whatever the columns and the formula.
TEST(Gemm, shortDepthsOfPartsAreReadAsTheyLie) {
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
      for (int64_t k : {0, 1, 3, 64, 95, 97, 129, 385}) { // up to a lot of steps, and beyond
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

/// Few columns of the result: its rows run along the vectors, whatever the depth.
TEST(Gemm, partsOfFewColumnsTurnRound) {
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

TEST(Gemm, partsOnlyWhereAWorkersCopiesAreFew) {
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

TEST(Gemm, operandsInTheOtherOrder) {
  GemmCase c{"kn", "mk", "mn"};
  c.sizes = {{'m', 21}, {'n', 50}, {'k', 70}};
  check(c);
  GemmCase vector{"nk", "k", "n"};
  vector.sizes = {{'n', 100}, {'k', 70}};
  check(vector);
  GemmCase dot{"k", "k", ""};
  dot.sizes = {{'k', 70}};
  check(dot);
}

TEST(Gemm, sameBitsOnAnyThreadsInAnyOrder) {
  RunOptions two, reversed;
  two.workers = 2;
  reversed.reversed = true;
  GemmCase transposed{"km", "kn", "mn"};
  transposed.sizes = {{'m', 100}, {'n', 300}, {'k', 500}};
  GemmCase inParts = transposed;
  inParts.sizes = {{'m', 70}, {'n', 90}, {'k', 3000}};
  GemmCase anyDepth = inParts;
  anyDepth.dynamic = "k";
  for (const GemmCase &c :
       {matrices(100, 300, 500, false), matrices(100, 4100, 500, false), transposed, inParts, anyDepth}) {
    KernelRunner runner(c.text(target()), *createCpuEmitter());
    ASSERT_TRUE(runner) << runner.message();
    std::vector<HostArray> operands = c.operands();
    std::vector<int64_t> shape = c.shapeOf(c.out);
    HostArray one = runner.run(operands, {shape}).front();
    EXPECT_EQ(one.bytes, runner.run(operands, {shape}, two).front().bytes);
    EXPECT_EQ(one.bytes, runner.run(operands, {shape}, reversed).front().bytes);
  }
}

TEST(Gemm, buffersThatStartAtAPage) {
  RunOptions before;
  before.guardBefore = true;
  for (bool packed : {false, true})
    for (const char *right : {"kn", "nk"})
      check(matrices(9, 50, 67, packed, "", right), before);
}

TEST(Gemm, costAndChunks) {
  GemmCase c = matrices(1024, 768, 3072, true);
  KernelRunner runner(c.text(target()), *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  EXPECT_EQ(runner.code().cost.flops.evaluate({}), 2ll * 1024 * 768 * 3072);
  EXPECT_EQ(runner.code().cost.bytesWritten.evaluate({}), 4ll * 1024 * 768);
  EXPECT_GE(runner.code().phases.back().chunks.evaluate({}), 64);
}

} // namespace
} // namespace attnc
