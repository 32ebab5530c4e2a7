// Compares kernels by Halide with the oracle: each way to read operands, each remainder of a dimension, and rejections.
#include "compiler/Codegen/Halide/Compile/Bitcode.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tests/compiler/Codegen/Halide/HalideKernel.h"
#include "tests/support/ParsedModule.h"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

namespace attnc {
namespace {

//===------------------------------------------ convolutions ------------------------------------------------------===//

struct Sizes {
  int64_t height, width, inputs, outputs;
};

TEST(HalideConvolution, TilesThatFitAndTilesThatDoNot) {
  for (auto [height, width, inputs, outputs] :
       {Sizes{4, 14, 8, 64}, Sizes{5, 9, 3, 40}, Sizes{3, 2, 5, 10}, Sizes{1, 1, 1, 1}, Sizes{2, 13, 4, 7}})
    EXPECT_EQ(check(convolution(height, width, inputs, outputs),
                    {random({2, height + 2, width + 2, inputs}, 1), random({3, 3, inputs, outputs}, 2)},
                    {2, height, width, outputs}),
              "")
        << height << " x " << width << ", " << inputs << " to " << outputs;
}

/// Vectors run along the columns of the image, which are stored three elements apart.
TEST(HalideConvolution, OfFewOutputs) {
  for (auto [height, width, inputs, outputs] : {Sizes{9, 33, 8, 3}, Sizes{4, 16, 20, 1}, Sizes{21, 40, 7, 5}})
    EXPECT_EQ(check(convolution(height, width, inputs, outputs),
                    {random({2, height + 2, width + 2, inputs}, 1), random({3, 3, inputs, outputs}, 2)},
                    {2, height, width, outputs}),
              "")
        << height << " x " << width << ", " << inputs << " to " << outputs;
}

TEST(HalideConvolution, ReadsEverySecondElement) {
  EXPECT_EQ(check(convolution(5, 6, 4, 16, 2), {random({3, 11, 13, 4}, 1), random({3, 3, 4, 16}, 2)}, {3, 5, 6, 16}),
            "");
}

TEST(HalideConvolution, NoImages) {
  EXPECT_EQ(check(convolution(4, 14, 8, 64), {random({0, 6, 16, 8}, 1), random({3, 3, 8, 64}, 2)}, {0, 4, 14, 64}), "");
}

TEST(HalideConvolution, OverPositionsOfAnyNumber) {
  for (int64_t positions : {0, 1, 4, 13, 1000})
    EXPECT_EQ(check(causal(), {random({2, positions, 6}, 1), random({20, 6, 3}, 2)}, {2, positions, 20}), "")
        << positions << " positions";
}

TEST(HalideConvolution, LaysItsOperandsOutInFront) {
  KernelRunner runner(textOf(causal()), *createHalideEmitter());
  ASSERT_TRUE(runner) << runner.message();
  EXPECT_EQ(runner.code().phases.size(), 3u);
  // [2, 100 + 4, 6] and [3, 6, 20] elements
  EXPECT_GE(runner.code().sharedBytes.evaluate({2, 100, 2, 100}), 4 * (2 * 104 * 6 + 3 * 6 * 20));
}

TEST(HalideConvolution, FeaturesFirst) {
  Kernel kernel{"%x: tensor<2x5x12x21xf32>, %w: tensor<9x5x3x3xf32>",
                "",
                "",
                "tensor<2x9x10x19xf32>",
                4,
                "tensor<5x3x3xf32>",
                R"(%i = arith.addi %d2, %d5 : index %j = arith.addi %d3, %d6 : index
                   %a = tensor.extract %x[%d0, %d4, %i, %j] : tensor<2x5x12x21xf32>
                   %b = tensor.extract %w[%d1, %d4, %d5, %d6] : tensor<9x5x3x3xf32>
                   %term = arith.mulf %b, %a : f32)"};
  EXPECT_EQ(check(kernel, {random({2, 5, 12, 21}, 1), random({9, 5, 3, 3}, 2)}, {2, 9, 10, 19}), "");
}

/// A transposed convolution of stride 2: the subscript is a halved index.
TEST(HalideConvolution, Transposed) {
  Kernel kernel{"%x: tensor<2x5x7xf32>, %w: tensor<3x7x18xf32>",
                "",
                "",
                "tensor<2x11x18xf32>",
                3,
                "tensor<3x7xf32>",
                R"(%c5 = arith.constant 5 : index
                   %p = arith.subi %d1, %d3 : index
                   %half = arith.floordivsi %p, %c2 : index
                   %twice = arith.muli %half, %c2 : index
                   %even = arith.cmpi eq, %twice, %p : index
                   %from = arith.cmpi sge, %p, %c0 : index
                   %to = arith.cmpi slt, %half, %c5 : index
                   %both = arith.andi %from, %to : i1
                   %all = arith.andi %both, %even : i1
                   %at = arith.select %all, %half, %c0 : index
                   %a0 = tensor.extract %x[%d0, %at, %d4] : tensor<2x5x7xf32>
                   %a = arith.select %all, %a0, %zero : f32
                   %b = tensor.extract %w[%d3, %d4, %d2] : tensor<3x7x18xf32>
                   %term = arith.mulf %a, %b : f32)"};
  EXPECT_EQ(check(kernel, {random({2, 5, 7}, 1), random({3, 7, 18}, 2)}, {2, 11, 18}), "");
}

/// Each feature has its own filter.
TEST(HalideConvolution, Depthwise) {
  Kernel kernel{"%x: tensor<2x8x9x33xf32>, %w: tensor<3x3x33xf32>",
                "",
                "",
                "tensor<2x6x7x33xf32>",
                4,
                "tensor<3x3xf32>",
                R"(%i = arith.addi %d1, %d4 : index %j = arith.addi %d2, %d5 : index
                   %a = tensor.extract %x[%d0, %i, %j, %d3] : tensor<2x8x9x33xf32>
                   %b = tensor.extract %w[%d4, %d5, %d3] : tensor<3x3x33xf32>
                   %term = arith.mulf %a, %b : f32)"};
  EXPECT_EQ(check(kernel, {random({2, 8, 9, 33}, 1), random({3, 3, 33}, 2)}, {2, 6, 7, 33}), "");
}

/// The gradient by the weights of 3 x 3 windows: chunks over weights would each read every image.
TEST(HalideConvolution, SumsEachImageFirst) {
  Kernel kernel{"%x: tensor<?x22x22x32xf32>, %y: tensor<?x20x20x32xf32>",
                "%n = tensor.dim %x, %c0 : tensor<?x22x22x32xf32>",
                "",
                "tensor<3x3x32x32xf32>",
                4,
                "tensor<?x20x20xf32>",
                R"(%i = arith.addi %d0, %d5 : index %j = arith.addi %d1, %d6 : index
                   %a = tensor.extract %x[%d4, %i, %j, %d2] : tensor<?x22x22x32xf32>
                   %b = tensor.extract %y[%d4, %d5, %d6, %d3] : tensor<?x20x20x32xf32>
                   %term = arith.mulf %a, %b : f32)",
                "arith.addf",
                "0.5",
                "%n"};
  KernelRunner runner(textOf(kernel), *createHalideEmitter());
  ASSERT_TRUE(runner) << runner.message();
  ASSERT_EQ(runner.code().phases.size(), 2u) << "the sums of each image, and of those";
  EXPECT_EQ(runner.code().phases[0].chunks.evaluate({6, 6}), 2 * runner.code().phases[0].chunks.evaluate({3, 3}));
  EXPECT_EQ(runner.code().sharedBytes.evaluate({3, 3}), 3 * 4 * 3 * 3 * 32 * 32);
  for (int64_t images : {0, 1, 3})
    EXPECT_EQ(check(kernel, {random({images, 22, 22, 32}, 1), random({images, 20, 20, 32}, 2)}, {3, 3, 32, 32}), "")
        << images << " images";
}

TEST(HalideConvolution, SumsOverImagesInParts) {
  for (int64_t outputs : {48, 40, 5}) // parts require that tiles share no elements
    for (int64_t images : {0, 1, 3})
      EXPECT_EQ(check(byWeights(outputs), {random({images, 9, 60, 16}, 1), random({images, 8, 60, outputs}, 2)},
                      {2, 16, outputs}),
                "")
          << images << " images, " << outputs << " outputs";
}

/// Tiles sum over a dynamic number of positions in blocks.
TEST(HalideConvolution, SumsOverPositionsInBlocks) {
  Kernel kernel{"%x: tensor<?x?x64xf32>, %y: tensor<?x?x64xf32>",
                "%n = tensor.dim %y, %c0 : tensor<?x?x64xf32> %m = tensor.dim %y, %c1 : tensor<?x?x64xf32>",
                "",
                "tensor<64x64xf32>",
                2,
                "tensor<?x?xf32>",
                R"(%a = tensor.extract %x[%d2, %d3, %d0] : tensor<?x?x64xf32>
                   %b = tensor.extract %y[%d2, %d3, %d1] : tensor<?x?x64xf32>
                   %term = arith.mulf %a, %b : f32)",
                "arith.addf",
                "0.5",
                "%n, %m"};
  for (int64_t positions : {0, 1, 31, 64, 100, 1000})
    EXPECT_EQ(check(kernel, {random({2, positions, 64}, 1), random({2, positions, 64}, 2)}, {64, 64}), "")
        << positions << " positions";
}

//===------------------------------------------ other kernels -----------------------------------------------------===//

TEST(HalidePooling, TheLargestOfEachWindow) {
  EXPECT_EQ(check(largest(), {random({3, 8, 10, 12}, 1)}, {3, 4, 5, 12}), "");
}

TEST(HalidePooling, OfElementsThatALoopDoesNotChange) {
  Kernel repeated = largest();
  repeated.body = "%term = tensor.extract %x[%d0, %d1, %d5, %d3] : tensor<?x8x10x12xf32>";
  EXPECT_EQ(check(repeated, {random({3, 8, 10, 12}, 1)}, {3, 4, 5, 12}), "");
}

TEST(HalidePooling, InfinitiesAndNaN) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  HostArray x = random({1, 8, 10, 12}, 1);
  std::fill(x.f32(), x.f32() + 5 * 12, -infinity);
  std::fill(x.f32() + 10 * 12, x.f32() + 13 * 12, -infinity);
  x.f32()[200] = infinity;
  for (int64_t each : {0, 12, 121, 500, 730, 901})
    x.f32()[each] = std::nanf("");
  EXPECT_EQ(check(largest(), {x}, {1, 4, 5, 12}), "");
}

TEST(HalidePointwise, ADynamicLastDimension) {
  Kernel kernel{"%x: tensor<?x?xf32>",
                "%n = tensor.dim %x, %c0 : tensor<?x?xf32> %m = tensor.dim %x, %c1 : tensor<?x?xf32>",
                "%n, %m",
                "tensor<?x?xf32>",
                2,
                "",
                R"(%a = tensor.extract %x[%d0, %d1] : tensor<?x?xf32>
                   %b = arith.maximumf %a, %zero : f32
                   %i = arith.index_cast %d1 : index to i32
                   %c = arith.sitofp %i : i32 to f32
                   %d = math.sqrt %c : f32
                   %e = arith.divf %b, %d : f32
                   %m0 = tensor.dim %x, %c1 : tensor<?x?xf32>
                   %last = arith.subi %m0, %c1 : index
                   %is = arith.cmpi eq, %d1, %last : index
                   %term = arith.select %is, %a, %e : f32)"};
  for (int64_t width : {1, 16, 17, 100})
    EXPECT_EQ(check(kernel, {random({3, width}, 1)}, {3, width}), "") << width;
}

/// Rows at subscripts from data, as they are or in a sum; the status reports rows out of range.
TEST(HalideGather, AtSubscriptsFromData) {
  for (std::string term : {"", "%j = arith.index_cast %d2 : index to i32 %w = arith.sitofp %j : i32 to f32 %two = "
                               "arith.mulf %read, %w : f32"}) {
    Kernel kernel{
        "%x: tensor<7x20xf32>, %at: tensor<?xi32>",
        "%n = tensor.dim %at, %c0 : tensor<?xi32>",
        "%n",
        "tensor<?x20xf32>",
        2,
        term.empty() ? "" : "tensor<3xf32>",
        "%i0 = tensor.extract %at[%d0] : tensor<?xi32> %one = arith.constant 1 : i32\n"
        "%i1 = arith.addi %i0, %one : i32 %i = arith.index_cast %i1 : i32 to index\n"
        "%read = tensor.extract %x[%i, %d1] : tensor<7x20xf32>\n" +
            (term.empty() ? "%term = arith.addf %read, %zero : f32" : term + " %term = arith.addf %two, %read : f32")};
    HostArray at = HostArray::of({40}, std::vector<int32_t>(40));
    for (int64_t each = 0; each < 40; ++each)
      at.i32()[each] = each * 5 % 7 - 1;
    EXPECT_EQ(check(kernel, {random({7, 20}, 1), at}, {40, 20}), "") << term;
    KernelRunner runner(textOf(kernel), *createHalideEmitter());
    ASSERT_TRUE(runner) << runner.message();
    for (int32_t wrong : {-2, 6, 1000000}) {
      at.i32()[23] = wrong;
      runner.run({random({7, 20}, 1), at}, {{40, 20}});
      EXPECT_EQ(runner.status(), ATTN_OUT_OF_RANGE) << wrong;
    }
  }
}

TEST(HalideGemm, AProductOfMatrices) {
  std::string text = R"(func.func private @k(%a: tensor<?x40xf32>, %b: tensor<40x70xf32>) -> tensor<?x70xf32>
      attributes {attn.kernel = "gemm"} {
    %c0 = arith.constant 0 : index %zero = arith.constant 0.0 : f32
    %n = tensor.dim %a, %c0 : tensor<?x40xf32>
    %empty = tensor.empty(%n) : tensor<?x70xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x70xf32>) -> tensor<?x70xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
      affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x40xf32>, tensor<40x70xf32>) outs(%init : tensor<?x70xf32>) {
    ^bb0(%u: f32, %v: f32, %s: f32):
      %p = arith.mulf %u, %v : f32 %t = arith.addf %s, %p : f32 linalg.yield %t : f32 } -> tensor<?x70xf32>
    return %r : tensor<?x70xf32> })";
  for (int64_t rows : {0, 1, 6, 7, 100}) {
    OracleCheck oracle{text, {random({rows, 40}, 1), random({40, 70}, 2)}, {{rows, 70}}};
    oracle.emitter = [] { return createHalideEmitter(); };
    EXPECT_EQ(differenceFromOracle(oracle), "") << rows << " rows";
  }
}

/// Each step of the chain reads the previous one twice: a walk without memoisation takes 2^48 steps.
TEST(HalidePointwise, AConditionOnALongChain) {
  std::string body = "%three = arith.constant 3.0 : f32 %b = arith.mulf %a, %three : f32\n"
                     "%x0 = arith.fptosi %b : f32 to i32\n";
  for (unsigned step = 0; step < 48; ++step)
    body += fmt::format("%y{0} = arith.addi %x{0}, %x{0} : i32 %x{1} = arith.subi %y{0}, %x0 : i32\n", step, step + 1);
  Kernel kernel = pointwise(body + R"(%k = arith.constant 1 : i32 %is = arith.cmpi eq, %x48, %k : i32
                                      %term = arith.select %is, %a, %zero : f32)");
  EXPECT_EQ(check(kernel, {random({4, 20}, 1)}, {4, 20}), "");
}

/// 1 / -x shows the sign of a zero.
TEST(HalidePointwise, NegationTurnsTheSignOfZero) {
  Kernel kernel{"%x: tensor<1x20xf32>",
                "",
                "",
                "tensor<1x20xf32>",
                2,
                "",
                R"(%a = tensor.extract %x[%d0, %d1] : tensor<1x20xf32>
                   %b = arith.negf %a : f32
                   %one = arith.constant 1.0 : f32
                   %term = arith.divf %one, %b : f32)"};
  HostArray x = random({1, 20}, 1);
  x.f32()[3] = 0.0f;
  x.f32()[17] = -0.0f;
  KernelRunner runner(textOf(kernel), *createHalideEmitter());
  ASSERT_TRUE(runner) << runner.message();
  std::vector<HostArray> y = runner.run({x}, {{1, 20}});
  EXPECT_EQ(y[0].f32()[3], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(y[0].f32()[17], std::numeric_limits<float>::infinity());
  EXPECT_FLOAT_EQ(y[0].f32()[0], -1 / x.f32()[0]);
}

//===------------------------------------------ limits ------------------------------------------------------------===//

TEST(HalideLimits, SizesBeyondWhatSubscriptsHold) {
  Kernel kernel{"%x: tensor<4x20xf32>, %n: index",
                "",
                "",
                "tensor<4x20xf32>",
                2,
                "",
                R"(%a = tensor.extract %x[%d0, %d1] : tensor<4x20xf32>
                   %is = arith.cmpi slt, %d1, %n : index
                   %term = arith.select %is, %a, %zero : f32)"};
  KernelRunner runner(textOf(kernel), *createHalideEmitter());
  ASSERT_TRUE(runner) << runner.message();
  runner.run({random({4, 20}, 1)}, {{4, 20}}, {.indexOperands = {7}});
  EXPECT_EQ(runner.status(), ATTN_OK);
  runner.run({random({4, 20}, 1)}, {{4, 20}}, {.indexOperands = {int64_t(1) << 31}});
  EXPECT_EQ(runner.status(), ATTN_BAD_ARGUMENT);
}

std::string reasonFor(const std::string &text) {
  ParsedModule parsed(text);
  EXPECT_TRUE(parsed) << parsed.diagnostics();
  return createHalideEmitter()->supports(parsed.function(), llvm::cantFail(Target::resolve("native"))).reason;
}

TEST(HalideDeclines, WithAReason) {
  Kernel kernel = largest();
  kernel.body = R"(%a = tensor.extract %x[%d0, %d4, %d5, %d3] : tensor<?x8x10x12xf32> %term = math.acos %a : f32)";
  EXPECT_EQ(reasonFor(textOf(kernel)), "it computes math.acos");
  kernel.body = R"(%far = arith.constant 9000000000 : index %i0 = arith.muli %d1, %far : index
    %i = arith.divsi %i0, %c2 : index %term = tensor.extract %x[%d0, %i, %d5, %d3] : tensor<?x8x10x12xf32>)";
  EXPECT_EQ(reasonFor(textOf(kernel)), "it computes arith.divsi");
  kernel.body = R"(%far = arith.constant 9000000000 : index %i0 = arith.muli %d1, %far : index
    %i1 = arith.addi %i0, %d4 : index
    %i = arith.minsi %i1, %c2 : index %term = tensor.extract %x[%d0, %i, %d5, %d3] : tensor<?x8x10x12xf32>)";
  EXPECT_EQ(reasonFor(textOf(kernel)), "its subscripts may exceed 32 bits");
}

//===------------------------------------------ scope of `auto` ---------------------------------------------------===//

/// Returns true if fusion keeps a sum whole for Halide, where Halide is faster; expects that Halide then accepts the
/// kernel.
bool isKept(const Kernel &kernel) {
  ParsedModule parsed(textOf(kernel));
  EXPECT_TRUE(parsed) << parsed.diagnostics();
  auto emitter = createHalideEmitter(HalideScope::ByRule);
  Target target = llvm::cantFail(Target::resolve("x86-64-v4"));
  auto sum = *parsed.function().getOps<mlir::linalg::GenericOp>().begin();
  bool isKept = emitter->sumsWindows(sum, target);
  EXPECT_EQ(bool(emitter->supports(parsed.function(), target)), isKept);
  return isKept;
}

/// Returns a sum over windows of x with three taps, where `factor` computes %f from the element %a.
Kernel windows(std::string factor, int64_t outputs = 32) {
  return {fmt::format("%x: tensor<?x30x20xf32>, %w: tensor<3x20x{}xf32>", outputs),
          "%n = tensor.dim %x, %c0 : tensor<?x30x20xf32>",
          "%n",
          fmt::format("tensor<?x28x{}xf32>", outputs),
          3,
          "tensor<3x20xf32>",
          fmt::format(R"(%s = arith.addi %d1, %d3 : index
             %a = tensor.extract %x[%d0, %s, %d4] : tensor<?x30x20xf32>
             {}
             %tap = arith.subi %c2, %d3 : index
             %b = tensor.extract %w[%tap, %d4, %d2] : tensor<3x20x{}xf32>
             %term = arith.mulf %f, %b : f32)",
                      factor, outputs)};
}

const char *const element = R"(%is = arith.cmpi sge, %s, %c2 : index %f = arith.select %is, %a, %zero : f32)";

TEST(HalideWindows, SumsOfPlainFactorsAreKept) {
  EXPECT_TRUE(isKept(causal()));
  EXPECT_TRUE(isKept(convolution(4, 14, 8, 64)));
  EXPECT_TRUE(isKept(windows(element)));
}

TEST(HalideWindows, SumsOfFormulasAreNot) {
  EXPECT_FALSE(isKept(windows("%f = math.exp %a : f32")));
  EXPECT_FALSE(isKept(windows("%f = arith.mulf %a, %zero : f32"))) << "0 times infinity";
  EXPECT_FALSE(isKept(windows("%f = arith.addf %a, %a : f32")));
  EXPECT_FALSE(isKept(windows(R"(%one = arith.constant 1.0 : f32 %is = arith.cmpi sge, %s, %c2 : index
    %f = arith.select %is, %one, %zero : f32)")));
  EXPECT_FALSE(isKept(windows(R"(%is = arith.cmpf oge, %a, %zero : f32 %f = arith.select %is, %a, %zero : f32)")))
      << "NaN that is compared";
  EXPECT_FALSE(isKept(windows(R"(%m = tensor.dim %x, %c0 : tensor<?x30x20xf32> %r = arith.remsi %s, %m : index
    %f = tensor.extract %x[%d0, %r, %d4] : tensor<?x30x20xf32>)")))
      << "no known divisor";
}

TEST(HalideWindows, FewLanesAndManyWeightsAreNot) {
  EXPECT_FALSE(isKept(windows(element, 1)));
  EXPECT_FALSE(isKept(windows(element, 7)));
  EXPECT_TRUE(isKept(windows(element, 8)));
  EXPECT_FALSE(isKept(convolution(4, 14, 8, 3)));
  EXPECT_TRUE(isKept(convolution(4, 40, 8, 3))) << "lanes along the columns";
  EXPECT_TRUE(isKept(windows(element, 4096)));
  EXPECT_FALSE(isKept(windows(element, 8192))) << "weights of more than 1 MiB, read by tensor.extract";
}

TEST(HalideWindows, ManyWeightsAreKeptWhereSumsCanBeInParts) {
  EXPECT_TRUE(isKept(byWeights(8)));
  EXPECT_TRUE(isKept(byWeights(48)));
  EXPECT_FALSE(isKept(byWeights(40))) << "vectors share elements";
}

/// Halide throws an exception for a schedule without meaning.
TEST(HalideErrors, AreCaughtWhereHalideEnds) {
  using namespace halide;
  Stage stage;
  stage.loops = {{{4}, false}, {{16}, false}};
  stage.result = {0, 1};
  stage.value = stage.start = stage.add({Op::Number, ATTN_F32, {}, 1});
  std::string reason;
  Machine machine{.target = "x86-64-linux-sse41-avx-avx2-fma-f16c-avx512-avx512_skylake"};
  Schedule schedule = chooseSchedule(stage, machine, reason).value();
  EXPECT_EQ(compileStage(stage, schedule, machine, 0, "k").error, "");
  schedule.rowDimension = schedule.laneDimension;
  Bitcode refused = compileStage(stage, schedule, machine, 0, "k");
  EXPECT_TRUE(refused.bytes.empty());
  EXPECT_NE(refused.error, "");
}

} // namespace
} // namespace attnc
