#include "benchmarks/kernels/Additive.h"
#include "benchmarks/support/CompiledKernel.h"
#include "benchmarks/support/Machine.h"
#include <fmt/format.h>

namespace attnc::bench {
namespace {

constexpr int64_t length = 1024, dim = 64, chunk = 4096;
constexpr double tanhs = double(length) * double(length) * double(dim);
const char *rows = "tensor<?x64xf32>", *coefficients = "tensor<64xf32>", *statistics = "tensor<?xf32>";

/// Text of a kernel. `parameters` follow the captured tensors; `op` is the text of the op before its regions.
std::string kernel(const char *kind, const std::string &parameters, const std::string &results, const std::string &op,
                   const std::string &end) {
  return fmt::format(
      R"(func.func private @k(%w: {0}, %u: {0}, %v: {0}, %c: {1}{2}) -> ({3}) attributes {{attn.kernel = "{4}"}} {{
  %c0 = arith.constant 0 : index
  %D = arith.constant 64 : index
  %N = tensor.dim %w, %c0 : {0}
  {5} score(%i, %j) {{
    %s = attn.reduce add (%d) in (%D) {{
      %a = tensor.extract %w[%i, %d] : {0}
      %b = tensor.extract %u[%j, %d] : {0}
      %x = arith.addf %a, %b : f32
      %y = math.tanh %x : f32
      %g = tensor.extract %c[%d] : {1}
      %t = arith.mulf %g, %y : f32
      attn.yield %t : f32
    }} : f32
    attn.yield %s : f32
  }}
  value(%i, %j, %e) {{
    %x = tensor.extract %v[%j, %e] : {0}
    attn.yield %x : f32
  }} {6}
}})",
      rows, coefficients, parameters, results, kind, op, end);
}

std::string forward() {
  return kernel("attend", "", fmt::format("{}, {}", rows, statistics),
                R"(%r:2 = attn.attend softmax outer(%N) keys(%N) values(%D) yields ["value", "lse"])",
                fmt::format(": {0}, {1} return %r#0, %r#1 : {0}, {1}", rows, statistics));
}

std::string gradient() {
  std::string types = fmt::format("{0}, {0}, {0}, {1}", rows, coefficients);
  return kernel("attend_gradient", fmt::format(", %dy: {0}, %o: {0}, %lse: {1}", rows, statistics), types,
                fmt::format("%r:4 = attn.attend_gradient softmax outer(%N) keys(%N) values(%D) yields [value] "
                            "cotangents(%dy : {0}) saved(%o, %lse : {0}, {1}) of(%w, %u, %v, %c : {2})",
                            rows, statistics, types),
                fmt::format("return %r#0, %r#1, %r#2, %r#3 : {}", types));
}

const char *tanhLoop = R"(func.func private @k(%x: tensor<?xf32>) -> tensor<?xf32> attributes {attn.kernel = "loops"} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = math.tanh %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
})";

/// Seconds of `body` divided by those of `other`, in alternating runs.
double timeBy(const std::function<void()> &body, const std::function<void()> &other) {
  other();
  auto perSecond = [&] {
    double start = threadSeconds();
    other();
    return 1 / (threadSeconds() - start);
  };
  return 1 / measure(1, 9, body, perSecond).share;
}

} // namespace

void runAdditive() {
  auto matrix = [](float range, unsigned seed) { return randomFloats(size_t(length * dim), range, seed); };
  float *w = matrix(3, 1), *u = matrix(3, 2), *v = matrix(1, 3), *c = randomFloats(size_t(dim), 0.5, 4);
  float *o = matrix(0, 5), *lse = randomFloats(size_t(length), 0, 6), *dy = matrix(1, 7);
  float *dw = matrix(0, 8), *du = matrix(0, 9), *dv = matrix(0, 10), *dc = randomFloats(size_t(dim), 0, 11);
  CompiledKernel forwardKernel(forward()), gradientKernel(gradient()), tanhKernel(tanhLoop);
  auto attend = forwardKernel.launcher({w, u, v, c, o, lse}, std::vector<int64_t>(5, length));
  auto differentiate =
      gradientKernel.launcher({w, u, v, c, dy, o, lse, dw, du, dv, dc}, std::vector<int64_t>(9, length));
  // The same number of tanhs, with operands and results in the L1 cache.
  float *x = randomFloats(size_t(chunk), 5, 12), *y = randomFloats(size_t(chunk), 0, 13);
  auto once = tanhKernel.launcher({x, y}, {chunk, chunk});
  auto takeTanhs = [&] {
    for (int64_t i = 0; i < int64_t(tanhs) / chunk; ++i)
      once();
  };
  attend();
  print("additive forward, S=1024 d=64", measure(tanhs, 9, attend, fmaPeak), "tanh");
  print("a loop of its tanhs, from the nearest cache", measure(tanhs, 9, takeTanhs, fmaPeak), "tanh");
  fmt::print("{:44} {:10.2f} x the time of that loop\n", "", timeBy(attend, takeTanhs));
  print("additive backward", measure(tanhs, 5, differentiate, fmaPeak), "tanh");
  fmt::print("{:44} {:10.2f} x the time of the forward\n", "", timeBy(differentiate, attend));
}

} // namespace attnc::bench
