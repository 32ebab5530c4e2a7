// Compares the errors of fused kernels with tensor cores with those of an unfused chain of the same operations and
// storage: products of narrow operands are summed in f32, intermediate values are f32, and each tensor in the chain's
// memory is rounded to its type.
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "compiler/Reference/Reference.h"
#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include "tests/compiler/Codegen/CPU/AttendMasks.h"
#include "tests/compiler/Codegen/CPU/GemmCase.h"
#include "tests/compiler/Codegen/GPU/NarrowAttend.h"
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

namespace attnc {
namespace {

/// The largest error of fused kernels, in errors of the chain.
constexpr double most = 2;
/// A kernel may have a different form for each device.
constexpr const char *deviceNames[] = {"cuda:sm_80", "cuda:sm_90a"};
constexpr TensorCoreSums allSums[] = {TensorCoreSums::CutOff, TensorCoreSums::Nearest};
constexpr ElementKind types[] = {ElementKind::BF16, ElementKind::F16};

const char *nameOf(TensorCoreSums sums) { return sums == TensorCoreSums::CutOff ? "cut off" : "to nearest"; }

/// The storage of a kernel's operands and of the chain's weights.
struct Storage {
  std::string name;
  std::function<std::string(const AttendKernel &)> text;
  std::function<std::vector<HostArray>(const std::vector<HostArray> &)> stored;
  std::function<HostArray(const HostArray &)> rounded;
};

Storage narrowStorage(ElementKind element) {
  NarrowPorts ports{{0, 1, 2}, {}, element};
  return {element == ElementKind::BF16 ? "bf16" : "f16",
          [=](const AttendKernel &kernel) { return narrowText(kernel.text(), ports); },
          [=](const std::vector<HostArray> &operands) { return stored(operands, ports); },
          [=](const HostArray &wide) { return wide.storedAs(element).widened(); }};
}

std::vector<Storage> storages() {
  Storage f32{"f32", [](const AttendKernel &kernel) { return kernel.text(); },
              [](const std::vector<HostArray> &operands) { return operands; },
              [](const HostArray &wide) { return wide; }};
  Storage tf32{"tf32", tf32Text, [](const std::vector<HostArray> &operands) { return roundedToTf32(operands); },
               [](const HostArray &wide) { return roundedToTf32(wide); }};
  return {narrowStorage(ElementKind::BF16), narrowStorage(ElementKind::F16), tf32, f32};
}

struct Errors {
  double largest = 0, squares = 0;
};

Errors errorsOf(const HostArray &found, const std::vector<double> &expected) {
  Errors errors;
  for (size_t at = 0; at < expected.size(); ++at) {
    double error = std::abs(found.f32()[at] - expected[at]);
    errors.largest = error <= errors.largest ? errors.largest : error; // NaN is the largest error
    errors.squares += error * error;
  }
  return errors;
}

/// Expects errors of at most `most` times those of the chain, plus `allowed` per element.
void expectAsGood(const HostArray &found, const HostArray &ofChain, const std::vector<double> &expected,
                  double allowed = 0) {
  Errors ours = errorsOf(found, expected), chain = errorsOf(ofChain, expected);
  EXPECT_GT(chain.largest, 0);
  EXPECT_LE(ours.largest, most * chain.largest + allowed);
  double count = expected.size();
  EXPECT_LE(std::sqrt(ours.squares / count), most * std::sqrt(chain.squares / count) + allowed);
}

HostArray rounded(const HostArray &wide, ElementKind element) { return wide.storedAs(element).widened(); }

/// A kernel that uses tensor cores.
struct DeviceKernel {
  KernelRunner runner;

  DeviceKernel(const std::string &kernel, std::string_view device) : runner(kernel, *createGpuEmitter(), device) {
    EXPECT_TRUE(runner) << runner.message();
    EXPECT_NE(runner.ptx().find("mma"), std::string::npos) << "it has no tensor cores";
  }
  HostArray run(const std::vector<HostArray> &operands, const std::vector<int64_t> &shape, TensorCoreSums sums) {
    return runner ? widened({runner.run(operands, {shape}, {.sums = sums})[0]})[0] : HostArray(shape);
  }
};

//===------------------------------------------ attention ---------------------------------------------------------===//

struct AttendCase {
  std::string name;
  AttendKernel kernel;
  std::function<float(float product, int64_t head, int64_t query, int64_t key)> score;
  std::function<bool(int64_t query, int64_t key)> keeps = [](int64_t, int64_t) { return true; };
};

AttendKernel kernelOf(int64_t dim, int64_t valueDim, int64_t heads = 2, int64_t group = 1) {
  AttendKernel kernel;
  kernel.heads = heads, kernel.group = group;
  kernel.queries = 66, kernel.keys = 150;
  kernel.dim = dim, kernel.valueDim = valueDim;
  return kernel;
}

AttendCase scaled(std::string name, AttendKernel kernel) {
  auto scale = static_cast<float>(1 / std::sqrt(double(kernel.dim)));
  return {std::move(name), std::move(kernel),
          [=](float product, int64_t, int64_t, int64_t) { return product * scale; }};
}

AttendCase causal(std::string name, AttendKernel kernel) {
  AttendCase made = scaled(std::move(name), std::move(kernel));
  made.kernel.mask = causalMask;
  made.keeps = [](int64_t query, int64_t key) { return key <= query; };
  return made;
}

/// Returns scaled products less 1/16 of the distance, within a window.
AttendCase distances() {
  AttendCase made{"distances in a window", kernelOf(48, 80), {}};
  made.kernel.score = R"(%d0 = arith.subi %i, %j : index %d1 = arith.index_cast %d0 : index to i32
    %d2 = arith.sitofp %d1 : i32 to f32 %slope = arith.constant 0.0625 : f32 %d3 = arith.mulf %d2, %slope : f32
    %y0 = arith.mulf %s, %scale : f32 %y = arith.subf %y0, %d3 : f32)";
  made.kernel.mask = R"(%c40 = arith.constant 40 : index %e0 = arith.subi %i, %j : index
    %e1 = arith.cmpi sge, %e0, %c0 : index %e2 = arith.cmpi slt, %e0, %c40 : index %m = arith.andi %e1, %e2 : i1)";
  auto scale = static_cast<float>(1 / std::sqrt(48.0));
  made.score = [=](float product, int64_t, int64_t query, int64_t key) {
    return product * scale - static_cast<float>(query - key) * 0.0625f;
  };
  made.keeps = [](int64_t query, int64_t key) { return query - key >= 0 && query - key < 40; };
  return made;
}

AttendCase softCapped() {
  AttendCase made{"a soft cap", kernelOf(64, 64), {}};
  made.kernel.score = R"(%cap = arith.constant 2.0 : f32 %y0 = arith.mulf %s, %scale : f32
    %y1 = arith.divf %y0, %cap : f32 %y2 = math.tanh %y1 : f32 %y = arith.mulf %y2, %cap : f32)";
  made.score = [](float product, int64_t, int64_t, int64_t) { return 2 * std::tanh(product * 0.125f / 2); };
  return made;
}

/// Returns attention whose keys are split.
AttendCase fewQueries() {
  AttendKernel kernel = kernelOf(64, 64, 8, 4);
  kernel.queries = 3, kernel.keys = 400;
  kernel.hasStaticQueries = true;
  return scaled("few queries", kernel);
}

std::vector<AttendCase> attendCases() {
  return {scaled("16 features", kernelOf(16, 16)),
          scaled("64 features", kernelOf(64, 64)),
          causal("causal", kernelOf(128, 128)),
          causal("grouped heads", kernelOf(64, 32, 4, 2)),
          scaled("256 features", kernelOf(256, 256)),
          distances(),
          softCapped(),
          fewQueries()};
}

/// Computes the chain: f32 scores; weights, normalised in f32 and then stored; and f32 sums of weights times values.
HostArray chainOf(const AttendCase &each, const std::vector<HostArray> &operands, const Storage &storage) {
  const AttendKernel &kernel = each.kernel;
  HostArray result({kernel.heads, kernel.queries, kernel.valueDim}), weights({kernel.keys});
  for (int64_t row = 0; row < kernel.heads * kernel.queries; ++row) {
    int64_t head = row / kernel.queries, query = row % kernel.queries, firstKey = head / kernel.group * kernel.keys;
    const float *q = operands[0].f32() + row * kernel.dim;
    float largest = -std::numeric_limits<float>::infinity(), sum = 0;
    for (int64_t key = 0; key < kernel.keys; ++key) {
      const float *k = operands[1].f32() + (firstKey + key) * kernel.dim;
      float product = 0;
      for (int64_t feature = 0; feature < kernel.dim; ++feature)
        product += q[feature] * k[feature];
      float score = each.keeps(query, key) ? each.score(product, head, query, key) : -INFINITY;
      weights.f32()[key] = score;
      largest = std::max(largest, score);
    }
    for (int64_t key = 0; key < kernel.keys; ++key)
      sum += weights.f32()[key] = std::exp(weights.f32()[key] - largest);
    for (int64_t key = 0; key < kernel.keys; ++key)
      weights.f32()[key] /= sum;
    HostArray storedWeights = storage.rounded(weights);
    float *to = result.f32() + row * kernel.valueDim;
    for (int64_t key = 0; key < kernel.keys; ++key)
      for (int64_t column = 0; column < kernel.valueDim; ++column)
        to[column] += storedWeights.f32()[key] * operands[2].f32()[(firstKey + key) * kernel.valueDim + column];
  }
  return result;
}

std::vector<double> oracleOf(const AttendKernel &kernel, const std::vector<HostArray> &operands) {
  ParsedModule parsed(kernel.text());
  std::vector<reference::Array> inputs;
  for (const HostArray &operand : operands)
    inputs.push_back(toReference(operand));
  return llvm::cantFail(reference::interpret(parsed.function(), inputs))[0].values;
}

class AttendAccuracy : public testing::TestWithParam<AttendCase> {};

/// At the largest magnitude of queries and keys, a row has almost all weight on one key.
TEST_P(AttendAccuracy, IsThatOfAChain) {
  const AttendCase &each = GetParam();
  for (const Storage &storage : storages()) {
    std::deque<DeviceKernel> kernels; // a deque does not move its elements
    for (const char *device : deviceNames)
      kernels.emplace_back(storage.text(each.kernel), device);
    for (float range : {0.25f, 1.0f, 6.0f}) {
      std::vector<HostArray> operands = storage.stored(each.kernel.operands(range)), wide = widened(operands);
      std::vector<double> expected = oracleOf(each.kernel, wide);
      HostArray chain = chainOf(each, wide, storage);
      for (auto [device, kernel] : llvm::zip_equal(deviceNames, kernels))
        for (TensorCoreSums sums : allSums) {
          if (sums == TensorCoreSums::Nearest && range != 1)
            continue; // one range is enough
          SCOPED_TRACE(fmt::format("{}, {}, {}, numbers up to {}", device, nameOf(sums), storage.name, range));
          HostArray ours = kernel.run(operands, chain.shape, sums);
          expectAsGood(ours, chain, expected);
          // A kernel with a narrow result stores the rounded f32 result.
          expectAsGood(storage.rounded(ours), storage.rounded(chain), expected);
        }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, AttendAccuracy, testing::ValuesIn(attendCases()), [](const auto &info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

//===------------------------------------------ products ----------------------------------------------------------===//

/// Returns a bound of the loss by sums that are truncated after each 16 of the depth: 2^-23 of a partial sum each time.
double cutOffOf(const GemmCase &c, const std::vector<HostArray> &operands) {
  int64_t rows = c.sizes.at('m'), columns = c.sizes.at('n'), depth = c.sizes.at('k');
  double largest = 0;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      double sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        largest = std::max(
            largest, std::abs(sum += operands[0].f32()[row * depth + k] * operands[1].f32()[k * columns + column]));
    }
  return std::ceil(depth / 16.0) * 0x1p-23 * largest;
}

/// Computes the chain: the product is stored, and the epilogue reads it.
HostArray chainOf(const GemmCase &c, const std::vector<HostArray> &operands, ElementKind element) {
  int64_t rows = c.sizes.at('m'), columns = c.sizes.at('n'), depth = c.sizes.at('k');
  HostArray product({rows, columns});
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t column = 0; column < columns; ++column)
        product.f32()[row * columns + column] +=
            operands[0].f32()[row * depth + k] * operands[1].f32()[k * columns + column];
  if (!c.formula)
    return product;
  HostArray result = rounded(product, element);
  for (int64_t at = 0; at < result.size(); ++at) {
    double bias = operands[2].f32()[at % columns];
    result.f32()[at] = static_cast<float>(c.formula(result.f32()[at], &bias));
  }
  return result;
}

TEST(GemmAccuracy, IsThatOfAChain) {
  GemmCase plain{"mk", "kn", "mn"}, withBias = plain;
  withBias.extras = {"n"};
  withBias.body = "%y = arith.addf %p, %x0 : f32";
  withBias.formula = [](double p, const double *x) { return p + x[0]; };
  for (GemmCase c : {plain, withBias})
    for (int64_t depth : {64, 1000})
      for (ElementKind element : types) {
        c.sizes = {{'m', 33}, {'n', 72}, {'k', depth}};
        Target device = llvm::cantFail(Target::resolve("cuda"));
        NarrowPorts ports{{0, 1}, {}, element};
        std::vector<HostArray> operands = stored(c.operands(), ports), wide = widened(operands);
        std::vector<double> expected, bound;
        c.reference(wide, expected, bound);
        HostArray chain = chainOf(c, wide, element);
        double cutOff = cutOffOf(c, wide);
        for (const char *architecture : deviceNames) {
          DeviceKernel kernel(narrowText(c.text(device), ports), architecture);
          for (TensorCoreSums sums : allSums) {
            SCOPED_TRACE(fmt::format("{}, {}, {}, depth {}", architecture, nameOf(sums), unitOf(element), depth));
            HostArray ours = kernel.run(operands, chain.shape, sums);
            expectAsGood(ours, chain, expected, sums == TensorCoreSums::CutOff ? cutOff : 0);
            expectAsGood(rounded(ours, element), rounded(chain, element), expected);
          }
        }
      }
}

} // namespace
} // namespace attnc
