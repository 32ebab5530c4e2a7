// Benchmark of grouped products on one core: the matrix of each row is selected by data, as in mixtures of experts.
// Many rows are reported relative to a dense product of as many multiplications, with one matrix; the four matrices of
// a single token relative to the read bandwidth from main memory. All matrices are packed. The gradient of the matrices
// is reported relative to that of one matrix, with as many multiplications.
//
//   grouped-gemm-benchmark
#include "benchmarks/support/CompiledKernel.h"
#include "benchmarks/support/Machine.h"
#include "compiler/Codegen/CPU/Gemm/GemmSchedule.h"
#include "compiler/Codegen/Target/Target.h"
#include <cstdio>
#include <fmt/format.h>
#include <random>

using namespace attnc;
using namespace attnc::bench;

namespace {

constexpr int64_t matrices = 16, depth = 1024, columns = 2048, picks = 4; ///< picks: matrices of a token
constexpr int64_t matrixFloats = depth * columns;

std::string packing(int64_t batchDims) {
  int64_t nr = choosePanelColumns(columns, llvm::cantFail(Target::resolve("native")));
  return fmt::format(
      "{{attn.packed = {{layout = \"panels\", nr = {} : i64, transposed = true, batch_dims = {} : i64}}}}", nr,
      batchDims);
}

std::string denseText(int64_t rows) {
  return fmt::format(
      R"(func.func private @dense(%x: tensor<{0}x{1}xf32>, %w: tensor<{2}x{1}xf32> {3}) -> tensor<{0}x{2}xf32>
          attributes {{attn.kernel = "gemm"}} {{
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<{0}x{2}xf32>
      %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<{0}x{2}xf32>) -> tensor<{0}x{2}xf32>
      %y = linalg.generic {{indexing_maps = [affine_map<(t, o, k) -> (t, k)>, affine_map<(t, o, k) -> (o, k)>,
          affine_map<(t, o, k) -> (t, o)>], iterator_types = ["parallel", "parallel", "reduction"]}}
          ins(%x, %w : tensor<{0}x{1}xf32>, tensor<{2}x{1}xf32>) outs(%fill : tensor<{0}x{2}xf32>) {{
        ^bb0(%a: f32, %b: f32, %out: f32):
          %p = arith.mulf %a, %b : f32
          %sum = arith.addf %out, %p : f32
          linalg.yield %sum : f32
      }} -> tensor<{0}x{2}xf32>
      return %y : tensor<{0}x{2}xf32> }})",
      rows, depth, columns, packing(0));
}

std::string groupedText(int64_t rows) {
  return fmt::format(
      R"(func.func private @grouped(%x: tensor<{0}x{1}xf32>, %s: tensor<{0}x{4}xi32>, %w: tensor<{5}x{2}x{1}xf32> {3})
          -> tensor<{0}x{4}x{2}xf32> attributes {{attn.kernel = "gemm"}} {{
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<{0}x{4}x{2}xf32>
      %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<{0}x{4}x{2}xf32>) -> tensor<{0}x{4}x{2}xf32>
      %y = linalg.generic {{indexing_maps = [affine_map<(t, r, o, k) -> (t, k)>, affine_map<(t, r, o, k) -> (t, r)>,
          affine_map<(t, r, o, k) -> (t, r, o)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}}
          ins(%x, %s : tensor<{0}x{1}xf32>, tensor<{0}x{4}xi32>) outs(%fill : tensor<{0}x{4}x{2}xf32>) {{
        ^bb0(%a: f32, %n: i32, %out: f32):
          %o = linalg.index 2 : index
          %k = linalg.index 3 : index
          %at = arith.index_cast %n : i32 to index
          %b = tensor.extract %w[%at, %o, %k] : tensor<{5}x{2}x{1}xf32>
          %p = arith.mulf %b, %a : f32
          %sum = arith.addf %out, %p : f32
          linalg.yield %sum : f32
      }} -> tensor<{0}x{4}x{2}xf32>
      return %y : tensor<{0}x{4}x{2}xf32> }})",
      rows, depth, columns, packing(1), picks, matrices);
}

/// The gradient of one matrix.
std::string denseGradientText(int64_t rows) {
  return fmt::format(
      R"(func.func private @dense(%y: tensor<{0}x{2}xf32>, %x: tensor<{0}x{1}xf32>) -> tensor<{2}x{1}xf32>
          attributes {{attn.kernel = "gemm"}} {{
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<{2}x{1}xf32>
      %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<{2}x{1}xf32>) -> tensor<{2}x{1}xf32>
      %w = linalg.generic {{indexing_maps = [affine_map<(o, k, t) -> (t, o)>, affine_map<(o, k, t) -> (t, k)>,
          affine_map<(o, k, t) -> (o, k)>], iterator_types = ["parallel", "parallel", "reduction"]}}
          ins(%y, %x : tensor<{0}x{2}xf32>, tensor<{0}x{1}xf32>) outs(%fill : tensor<{2}x{1}xf32>) {{
        ^bb0(%a: f32, %b: f32, %out: f32):
          %p = arith.mulf %a, %b : f32
          %sum = arith.addf %out, %p : f32
          linalg.yield %sum : f32
      }} -> tensor<{2}x{1}xf32>
      return %w : tensor<{2}x{1}xf32> }})",
      rows, depth, columns);
}

std::string groupedGradientText(int64_t rows) {
  return fmt::format(
      R"(func.func private @grouped(%y: tensor<{0}x{3}x{2}xf32>, %x: tensor<{0}x{1}xf32>, %s: tensor<{0}x{3}xi32>)
          -> tensor<{4}x{2}x{1}xf32> attributes {{attn.kernel = "gemm"}} {{
      %zero = arith.constant 0.0 : f32
      %rows = arith.constant {0} : index
      %picks = arith.constant {3} : index
      %columns = arith.constant {2} : index
      %depth = arith.constant {1} : index
      %empty = tensor.empty() : tensor<{4}x{2}x{1}xf32>
      %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<{4}x{2}x{1}xf32>) -> tensor<{4}x{2}x{1}xf32>
      %w = attn.scatter_add (%t, %r, %o, %k) in (%rows, %picks, %columns, %depth)
          into(%fill : tensor<{4}x{2}x{1}xf32>) {{
        %n = tensor.extract %s[%t, %r] : tensor<{0}x{3}xi32>
        %e = arith.index_cast %n : i32 to index
        %a = tensor.extract %y[%t, %r, %o] : tensor<{0}x{3}x{2}xf32>
        %b = tensor.extract %x[%t, %k] : tensor<{0}x{1}xf32>
        %p = arith.mulf %a, %b : f32
        attn.term %p at[%e, %o, %k] : f32
      }}
      return %w : tensor<{4}x{2}x{1}xf32> }})",
      rows, depth, columns, picks, matrices);
}

/// Different matrices for each token: `shift`, `shift` + 1, ... for the first, and random ones for the others.
std::vector<int32_t> selectorOf(int64_t rows, int64_t shift) {
  std::mt19937 random(7);
  std::vector<int32_t> order(matrices), selector;
  for (int64_t m = 0; m < matrices; ++m)
    order[m] = int32_t((m + shift) % matrices);
  for (int64_t row = 0; row < rows; ++row) {
    selector.insert(selector.end(), order.begin(), order.begin() + picks);
    std::shuffle(order.begin(), order.end(), random);
  }
  return selector;
}

void reportRows(int64_t rows, float *weights) {
  float *x = randomFloats(rows * picks * depth, 1, 1), *y = randomFloats(rows * picks * columns, 1, 3);
  std::vector<int32_t> selector = selectorOf(rows, 0);
  CompiledKernel grouped(groupedText(rows)), dense(denseText(rows * picks));
  auto body = grouped.launcher({x, selector.data(), weights, y}, {});
  auto denseBody = dense.launcher({x, weights, y}, {});
  double flops = 2.0 * double(rows * picks) * matrixFloats;
  print(fmt::format("{} tokens, {} of {} matrices {}x{} / dense product", rows, picks, matrices, depth, columns),
        measure(flops, 21, body,
                [&] {
                  double start = threadSeconds();
                  denseBody();
                  return flops / (threadSeconds() - start);
                }),
        "flop");
}

void reportGradient(int64_t rows, float *gradient) {
  float *x = randomFloats(rows * picks * depth, 1, 1), *dy = randomFloats(rows * picks * columns, 1, 3);
  std::vector<int32_t> selector = selectorOf(rows, 0);
  CompiledKernel grouped(groupedGradientText(rows)), dense(denseGradientText(rows * picks));
  auto body = grouped.launcher({dy, x, selector.data(), gradient}, {});
  auto denseBody = dense.launcher({dy, x, gradient}, {});
  double flops = 2.0 * double(rows * picks) * matrixFloats;
  print(fmt::format("{} tokens, gradient of {} matrices {}x{} / of one", rows, matrices, depth, columns),
        measure(flops, 7, body,
                [&] {
                  double start = threadSeconds();
                  denseBody();
                  return flops / (threadSeconds() - start);
                }),
        "flop");
}

void reportToken(float *weights) {
  float *x = randomFloats(depth, 1, 1), *y = randomFloats(picks * columns, 1, 3);
  CompiledKernel grouped(groupedText(1));
  std::vector<std::vector<int32_t>> selectors;
  std::vector<std::function<void()>> launches;
  for (int64_t first = 0; first < matrices; first += picks) {
    selectors.push_back(selectorOf(1, first));
    launches.push_back(grouped.launcher({x, selectors.back().data(), weights, y}, {}));
  }
  size_t call = 0;
  auto body = [&] { launches[++call % launches.size()](); };
  auto other = [&] { // the matrices of the call before the last one
    return readBandwidth(weights + (call + 2) % launches.size() * picks * matrixFloats, picks * matrixFloats * 4);
  };
  print(fmt::format("one token, {} of {} matrices {}x{} / bandwidth", picks, matrices, depth, columns),
        measure(4.0 * picks * matrixFloats, 41, body, other), "B");
}

} // namespace

int main() {
  float *weights = randomFloats(matrices * (matrixFloats + depth * 64), 1, 2); // with padding of the last panel
  for (int64_t rows : {128, 512})
    reportRows(rows, weights);
  reportToken(weights);
  for (int64_t rows : {128, 2048})
    reportGradient(rows, weights);
}
