// Measures the error of every function in ulp against the double-precision one, over its range, on both instruction
// sets.
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "tests/compiler/Codegen/Formula/FlatEmitter.h"
#include "tests/support/KernelRunner.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>

using namespace attnc;

static std::string kernelOf(const std::string &formula) {
  return R"(#id = affine_map<(i) -> (i)>
    func.func private @k(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> attributes {attn.kernel = "loops"} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %e = tensor.empty(%n) : tensor<?xf32>
      %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
          ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %v = )" +
         formula + R"( : f32
        linalg.yield %v : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    })";
}

static bool runsHere(const std::string &target) { return target != "x86-64-v4" || __builtin_cpu_supports("avx512vl"); }

/// Returns the distance in ulp of the reference; a result that should be denormal may be zero.
static double ulps(float found, double expected) {
  if (std::isnan(expected) || std::isnan(found))
    return std::isnan(expected) && std::isnan(found) ? 0 : INFINITY;
  float rounded = static_cast<float>(expected);
  if (std::isinf(rounded) || std::isinf(found))
    return rounded == found || (std::fabs(expected) > 3.4e38 && std::fabs(found) > 3.4e38) ? 0 : INFINITY;
  if (std::fabs(expected) < 1.2e-38)
    return std::fabs(found) < 1.2e-38 ? 0 : INFINITY;
  return std::fabs(found - expected) / std::ldexp(1.0, std::ilogb(rounded) - 23);
}

struct MathCase {
  const char *formula;
  double (*reference)(double, double);
  float low, high;
  double limit;
  uint32_t stride = 100003; ///< of a sweep over all floats
};

class VectorMath : public testing::TestWithParam<MathCase> {};

static std::vector<float> samples(float low, float high) {
  std::vector<float> values;
  for (int i = 0; i <= 40000; ++i)
    values.push_back(low + (high - low) * (i / 40000.0f));
  for (float small = 1e-38f; small < high; small *= 1.09f)
    for (float each : {small, -small})
      if (each >= low)
        values.push_back(each);
  return values;
}

TEST_P(VectorMath, AgreesWithDoublePrecision) {
  const MathCase &each = GetParam();
  std::vector<float> x = samples(each.low, each.high), y;
  for (size_t i = 0; i < x.size(); ++i)
    y.push_back(x[(i * 7919 + 13) % x.size()]);
  int64_t n = x.size();
  for (std::string target : {"x86-64-v3", "x86-64-v4"}) {
    if (!runsHere(target))
      continue;
    KernelRunner runner(kernelOf(each.formula), FlatEmitter(), target);
    ASSERT_TRUE(runner) << runner.message();
    HostArray found = runner.run({HostArray::of({n}, x), HostArray::of({n}, y)}, {{n}})[0];
    double worst = 0, at = 0, with = 0;
    for (int64_t i = 0; i < n; ++i)
      if (double error = ulps(found.f32()[i], each.reference(x[i], y[i])); error > worst) {
        worst = error;
        at = x[i], with = y[i];
      }
    EXPECT_LE(worst, each.limit) << each.formula << " on " << target << " at " << at << ", " << with;
    RecordProperty("ulp_" + target, std::to_string(worst));
  }
}

#define UNARY(f) [](double x, double) { return std::f(x); }
INSTANTIATE_TEST_SUITE_P(
    Functions, VectorMath,
    testing::Values(
        MathCase{"math.exp %a", UNARY(exp), -100, 100, 1}, MathCase{"math.exp2 %a", UNARY(exp2), -140, 140, 2},
        MathCase{"math.expm1 %a", UNARY(expm1), -100, 100, 3}, MathCase{"math.log %a", UNARY(log), 0, 1e6, 2},
        MathCase{"math.log2 %a", UNARY(log2), 0, 1e6, 2}, MathCase{"math.log10 %a", UNARY(log10), 0, 1e6, 3},
        MathCase{"math.log1p %a", UNARY(log1p), -0.999f, 1e6, 4}, MathCase{"math.tanh %a", UNARY(tanh), -12, 12, 5},
        MathCase{"math.sinh %a", UNARY(sinh), -89, 89, 4}, MathCase{"math.cosh %a", UNARY(cosh), -89, 89, 4},
        MathCase{"math.erf %a", UNARY(erf), -6, 6, 6}, MathCase{"math.sin %a", UNARY(sin), -1e4, 1e4, 2},
        MathCase{"math.cos %a", UNARY(cos), -1e4, 1e4, 2}, MathCase{"math.tan %a", UNARY(tan), -1e3, 1e3, 4},
        MathCase{"math.sqrt %a", UNARY(sqrt), 0, 1e6, 0.5},
        MathCase{"math.rsqrt %a", [](double x, double) { return 1 / std::sqrt(x); }, 1e-6f, 1e6, 2},
        MathCase{"math.powf %a, %b", [](double x, double y) { return std::pow(x, y); }, 0, 40, 2}));

/// Returns every `stride`th bit pattern of f32: all signs, exponents and NaNs; a prime varies the low bits too.
static std::vector<float> everyMagnitude(uint32_t stride) {
  std::vector<float> values;
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += stride)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return values;
}

/// Appends the floats within `count` ulp of x.
static void appendNeighbours(std::vector<float> &values, float x, uint32_t count) {
  for (uint32_t bits = std::bit_cast<uint32_t>(x) - count; bits != std::bit_cast<uint32_t>(x) + count; ++bits)
    values.push_back(std::bit_cast<float>(bits));
}

class VectorMathSweep : public testing::TestWithParam<MathCase> {};

// The limit of exp is 1 ulp, the accuracy it has, although 2 ulp are promised.
TEST_P(VectorMathSweep, AgreesAtEveryMagnitudeAsAnEmitterWritesIt) {
  const MathCase &each = GetParam();
  std::vector<float> x = everyMagnitude(each.stride);
  for (float edge : {-87.3365447505f, 88.7228390520f, -126.0f, 128.0f, 0.34657359f, 1.0f, 0.70710678f, 44.0f, 80.0f})
    for (float sign : {1.0f, -1.0f})
      appendNeighbours(x, sign * edge, 1 << 12);
  int64_t n = x.size();
  for (std::string target : {"x86-64-v3", "x86-64-v4"}) {
    if (!runsHere(target))
      continue;
    KernelRunner runner(kernelOf(each.formula), *createCpuEmitter(), target);
    ASSERT_TRUE(runner) << runner.message();
    HostArray input = HostArray::of({n}, x), found = runner.run({input, input}, {{n}})[0];
    double worst = 0, at = 0;
    for (int64_t i = 0; i < n; ++i)
      if (double error = ulps(found.f32()[i], each.reference(x[i], 0)); error > worst)
        worst = error, at = x[i];
    EXPECT_LE(worst, each.limit) << each.formula << " on " << target << " at " << at;
    RecordProperty("ulp_" + target, std::to_string(worst));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Functions, VectorMathSweep,
    testing::Values(MathCase{"math.exp %a", UNARY(exp), 0, 0, 1, 1021},
                    MathCase{"math.exp2 %a", UNARY(exp2), 0, 0, 1, 1021},
                    MathCase{"math.expm1 %a", UNARY(expm1), 0, 0, 3}, MathCase{"math.log %a", UNARY(log), 0, 0, 2},
                    MathCase{"math.log2 %a", UNARY(log2), 0, 0, 2}, MathCase{"math.log10 %a", UNARY(log10), 0, 0, 3},
                    MathCase{"math.log1p %a", UNARY(log1p), 0, 0, 4}, MathCase{"math.tanh %a", UNARY(tanh), 0, 0, 5},
                    MathCase{"math.sinh %a", UNARY(sinh), 0, 0, 4}, MathCase{"math.cosh %a", UNARY(cosh), 0, 0, 4},
                    MathCase{"math.erf %a", UNARY(erf), 0, 0, 6}, MathCase{"math.sqrt %a", UNARY(sqrt), 0, 0, 0.5},
                    MathCase{"math.sin %a", UNARY(sin), 0, 0, 2}, MathCase{"math.cos %a", UNARY(cos), 0, 0, 2},
                    MathCase{"math.tan %a", UNARY(tan), 0, 0, 4}));

TEST(VectorMathEdges, InfinityNanAndZero) {
  // All pairs of these.
  std::vector<float> special = {INFINITY, -INFINITY, NAN, 0, -0.0f, 1, -1, 2, -2, 3, -3, 0.5f, -0.5f, 3e38f}, x, y;
  for (float a : special)
    for (float b : special)
      x.push_back(a), y.push_back(b);
  int64_t n = x.size();
  struct Case {
    const char *formula;
    double (*reference)(double, double);
  } cases[] = {
      {"math.exp %a", UNARY(exp)},     {"math.exp2 %a", UNARY(exp2)},
      {"math.expm1 %a", UNARY(expm1)}, {"math.log %a", UNARY(log)},
      {"math.log2 %a", UNARY(log2)},   {"math.log1p %a", UNARY(log1p)},
      {"math.tanh %a", UNARY(tanh)},   {"math.erf %a", UNARY(erf)},
      {"math.sqrt %a", UNARY(sqrt)},   {"math.sinh %a", UNARY(sinh)},
      {"math.cosh %a", UNARY(cosh)},   {"math.sin %a", UNARY(sin)},
      {"math.cos %a", UNARY(cos)},     {"math.tan %a", UNARY(tan)},
      {"math.log10 %a", UNARY(log10)}, {"math.powf %a, %b", [](double a, double b) { return std::pow(a, b); }}};
  for (const Case &each : cases) {
    KernelRunner runner(kernelOf(each.formula), FlatEmitter());
    ASSERT_TRUE(runner) << runner.message();
    HostArray found = runner.run({HostArray::of({n}, x), HostArray::of({n}, y)}, {{n}})[0];
    for (int64_t i = 0; i < n; ++i)
      EXPECT_LE(ulps(found.f32()[i], each.reference(x[i], y[i])), 4)
          << each.formula << " of " << x[i] << ", " << y[i] << " is " << found.f32()[i];
  }
}

TEST(VectorMathEdges, OddFunctionsNeverLeaveOne) {
  std::vector<float> x = samples(-30, 30);
  int64_t n = x.size();
  for (const char *formula : {"math.tanh %a", "math.erf %a"}) {
    KernelRunner runner(kernelOf(formula), FlatEmitter());
    ASSERT_TRUE(runner) << runner.message();
    HostArray found = runner.run({HostArray::of({n}, x), HostArray::of({n}, x)}, {{n}})[0];
    for (int64_t i = 0; i < n; ++i)
      ASSERT_LE(std::fabs(found.f32()[i]), 1) << formula << " of " << x[i];
  }
}

TEST(VectorMathEdges, ExtremaKeepNan) {
  float nan = NAN, inf = INFINITY;
  std::vector<float> x = {nan, 1, nan, 2, -3, inf, -inf, 0}, y = {1, nan, nan, 1, -2, 5, 5, 0.5f};
  std::vector<float> largest = {nan, nan, nan, 2, -2, inf, 5, 0.5f}, least = {nan, nan, nan, 1, -3, 5, -inf, 0};
  std::vector<float> relu = {nan, 1, nan, 2, 0, inf, 0, 0};
  int64_t n = x.size();
  auto expectValues = [&](const char *formula, const std::vector<float> &expected) {
    KernelRunner runner(kernelOf(formula), FlatEmitter());
    ASSERT_TRUE(runner) << runner.message();
    HostArray found = runner.run({HostArray::of({n}, x), HostArray::of({n}, y)}, {{n}})[0];
    for (int64_t i = 0; i < n; ++i)
      EXPECT_EQ(ulps(found.f32()[i], expected[i]), 0) << formula << " of " << x[i] << ", " << y[i];
  };
  expectValues("arith.maximumf %a, %b", largest);
  expectValues("arith.minimumf %a, %b", least);
  expectValues("arith.maximumf %a, %zero", relu);
  expectValues("arith.maximumf %zero, %a", relu);
}
