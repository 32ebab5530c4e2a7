#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "tests/compiler/Codegen/CPU/GemmChecks.h"
#include "gtest/gtest.h"

namespace attnc {
namespace {

GemmCase matrices(int64_t m, int64_t n, int64_t k, bool packed, const std::string &dynamic = "",
                  const std::string &right = "kn") {
  GemmCase c{"mk", right, "mn"};
  c.sizes = {{'m', m}, {'n', n}, {'k', k}};
  c.packed = packed;
  c.dynamic = dynamic;
  return c;
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

/// Few rows read an unpacked matrix in place, and a chunk has several products of a batch.
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

/// Static sizes of 0, of either operand in each order.
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
          if (m == 0)
            EXPECT_EQ(runner.code().phases.back().chunks.evaluate({}), 0) << left << right << n << packed << ": a tile would read the row before the first one";
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

/// The rows of dot products are one block, whatever the schedule requests. With the result over the residual, each
/// element has to be stored once.
TEST(Gemm, dotProductsIgnoreBlocksOfRows) {
  for (const char *isa : {"x86-64-v3", "native"})
    for (const char *schedule : {"{mc = 1 : i64}", "{mc = 2 : i64}", "{mr = 1 : i64, mc = 1 : i64}"}) {
      GemmCase c = matrices(3, 70, 64, false, "", "nk");
      c.schedule = schedule;
      c.extras = {"mn"};
      c.body = "%y = arith.addf %p, %x0 : f32";
      c.formula = [](double p, const double *x) { return p + x[0]; };
      RunOptions inPlace;
      inPlace.inPlaceOperand = 2;
      c.inPlaceExtra = 0;
      check(c, inPlace, isa);
    }
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

// Tiles of rows may overlap: each element is stored once, because the result overwrites the residual.
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
    for (Placement placement : everyPlacement) {
      c.sizes['m'] = m;
      std::vector<HostArray> operands = c.operands();
      std::vector<double> expected, bound;
      c.reference(operands, expected, bound);
      operands[1] = c.pack(operands[1], c.panelColumns(on));
      RunOptions options;
      options.inPlaceOperand = 3;
      options.placement = placement;
      HostArray result = runner.run(operands, {{m, 70}}, options).front();
      for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(result.f32()[i], expected[i], bound[i]) << m << " rows, element " << i;
    }
}

/// Sums of a short depth are stored from registers, each once, although tiles of rows may overlap.
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
  for (const char *dynamic : {"", "bs", "bsn"}) { // rows of two loops, whose coordinates vary from row to row
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

/// The product of the gradient of a weight: blocks of left's rows are copied for each chunk of k.
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

TEST(Gemm, everyPlacementOfBuffers) {
  for (Placement placement : everyPlacement)
    for (bool packed : {false, true})
      for (const char *right : {"kn", "nk"})
        check(matrices(9, 50, 67, packed, "", right), {.placement = placement});
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
