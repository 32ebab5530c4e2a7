// Benchmark of matrix products on one core, relative to the FMA peak of the same run and, if available, to oneDNN with
// prepacked weights. Products of few rows are reported relative to the read bandwidth over the weight.
//
//   gemm-benchmark [name part [schedule]]          such as: gemm-benchmark prefill "kc = 256 : i64"
#include "benchmarks/kernels/GemmPeer.h"
#include "benchmarks/support/CompiledKernel.h"
#include "benchmarks/support/Machine.h"
#include "compiler/Codegen/CPU/Gemm/GemmSchedule.h"
#include "compiler/Codegen/CPU/Gemm/WeightPacking.h"
#include "compiler/Codegen/Target/Target.h"
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

using namespace attnc;
using namespace attnc::bench;

namespace {

struct Case {
  std::string name;
  int64_t rows, depth, columns;
  std::string epilogue = {}; ///< "", "bias", "residual" or "gelu"
  bool transposed = false, packed = true;
  int64_t copies = 1; ///< copies of the weight, used cyclically; from main memory if they exceed the caches
};

std::string schedule; ///< schedule of every kernel; empty: the emitter's choice

const char *geluText = R"(%z = arith.addf %p, %x : f32 %c0 = arith.constant 0.7978845608 : f32
%c1 = arith.constant 0.044715 : f32 %half = arith.constant 0.5 : f32 %one = arith.constant 1.0 : f32
%z2 = arith.mulf %z, %z : f32 %z3 = arith.mulf %z2, %z : f32 %i0 = arith.mulf %z3, %c1 : f32
%i1 = arith.addf %z, %i0 : f32 %i2 = arith.mulf %i1, %c0 : f32 %t = math.tanh %i2 : f32
%u = arith.addf %t, %one : f32 %h = arith.mulf %z, %half : f32 %y = arith.mulf %h, %u : f32)";

std::string epilogueText(const Case &c, const std::string &out) {
  bool residual = c.epilogue == "residual";
  std::string body = c.epilogue == "gelu" ? geluText : "%y = arith.addf %p, %x : f32";
  if (residual)
    body = "%z = arith.addf %p, %x : f32 %y = arith.addf %z, %w : f32";
  return fmt::format(
      R"(%result = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
{0} affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}}
ins(%product, %bias{1} : {2}, tensor<{3}xf32>{4}) outs(%empty : {2}) {{
^bb0(%p: f32, %x: f32, {5} %unused: f32):
{6} linalg.yield %y : f32 }} -> {2}
)",
      residual ? "affine_map<(m, n) -> (m, n)>," : "", residual ? ", %residual" : "", out, c.columns,
      residual ? ", " + out : "", residual ? "%w: f32," : "", body);
}

std::string text(const Case &c, int64_t nr) {
  std::string left = fmt::format("tensor<{}x{}xf32>", c.rows, c.depth),
              out = fmt::format("tensor<{}x{}xf32>", c.rows, c.columns),
              right = c.transposed ? fmt::format("tensor<{}x{}xf32>", c.columns, c.depth)
                                   : fmt::format("tensor<{}x{}xf32>", c.depth, c.columns);
  std::string packing =
      fmt::format("{{attn.packed = {{layout = \"panels\", nr = {} : i64, transposed = {}}}}}", nr, c.transposed);
  std::string extra = c.epilogue.empty() ? "" : fmt::format(", %bias: tensor<{}xf32>", c.columns);
  if (c.epilogue == "residual")
    extra += ", %residual: " + out;
  return fmt::format(
      R"(func.func private @gemm(%a: {0}, %b: {1}{2}{3}) -> {4} attributes {{attn.kernel = "gemm", attn.schedule = {{{5}}}}} {{
%zero = arith.constant 0.0 : f32 %empty = tensor.empty() : {4}
%init = linalg.fill ins(%zero : f32) outs(%empty : {4}) -> {4}
%product = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> {6}>,
affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}}
ins(%a, %b : {0}, {1}) outs(%init : {4}) {{
^bb0(%u: f32, %v: f32, %s: f32):
%m = arith.mulf %u, %v : f32 %t = arith.addf %s, %m : f32 linalg.yield %t : f32 }} -> {4}
{7} return {8} : {4} }})",
      left, right, c.packed ? packing : "", extra, out, schedule, c.transposed ? "(n, k)" : "(k, n)",
      c.epilogue.empty() ? "" : epilogueText(c, out), c.epilogue.empty() ? "%product" : "%result");
}

void run(const Case &c, const Target &target) {
  int64_t nr = choosePanelColumns(c.columns, target);
  CompiledKernel kernel(text(c, nr));
  int64_t weightFloats = c.packed ? (c.columns + nr - 1) / nr * nr * c.depth : c.columns * c.depth;
  weightFloats = (weightFloats + 1023) / 1024 * 1024;
  float *left = randomFloats(c.rows * c.depth, 1, 1), *weights = randomFloats(weightFloats * c.copies, 1, 2),
        *bias = randomFloats(c.columns, 1, 3), *residual = randomFloats(c.rows * c.columns, 1, 4),
        *out = randomFloats(c.rows * c.columns, 1, 5);
  std::vector<std::function<void()>> launches;
  for (int64_t copy = 0; copy < c.copies; ++copy) {
    std::vector<void *> buffers = {left, weights + copy * weightFloats};
    if (!c.epilogue.empty())
      buffers.push_back(bias);
    if (c.epilogue == "residual")
      buffers.push_back(residual);
    buffers.push_back(out);
    launches.push_back(kernel.launcher(buffers, {}));
  }
  int64_t call = 0;
  auto body = [&] { launches[++call % c.copies](); };
  double flops = 2.0 * c.rows * c.depth * c.columns, bytes = 4.0 * weightFloats;
  if (c.rows > 16) {
    print(c.name + " / FMA peak", measure(flops, 21, body, fmaPeak), "flop");
    if (auto peer = gemmPeer(c.rows, c.columns, c.depth))
      print(c.name + " / oneDNN",
            measure(flops, 21, body,
                    [&] {
                      double start = threadSeconds();
                      peer();
                      return flops / (threadSeconds() - start);
                    }),
            "flop");
  } else {
    print(c.name + " / bandwidth",
          measure(bytes, 41, body,
                  [&] {
                    return readBandwidth(weights + (call + c.copies / 2) % c.copies * weightFloats,
                                         weightFloats * 4 / 512 * 512);
                  }),
          "B");
  }
  std::printf("    compiled in %.0f ms, %zu bytes\n", 1e3 * kernel.compileSeconds(), kernel.objectBytes());
  std::fflush(stdout);
}

std::vector<Case> cases() {
  std::vector<Case> all = {
      {"prefill 1024x3072x768 plain", 1024, 3072, 768},
      {"prefill 1024x768x3072 plain", 1024, 768, 3072},
      {"prefill 1024x768x2304 bias", 1024, 768, 2304, "bias"},
      {"prefill 1024x768x768 residual", 1024, 768, 768, "residual"},
      {"prefill 1024x768x3072 gelu", 1024, 768, 3072, "gelu"},
      {"prefill 1024x3072x768 residual", 1024, 3072, 768, "residual"},
      {"square 1024", 1024, 1024, 1024},
      {"ragged 1000x700x500", 1000, 700, 500},
      {"unpacked 1024x768x3072", 1024, 768, 3072, "", false, false},
      {"unpacked 1024x768x3072 transposed", 1024, 768, 3072, "", true, false},
  };
  for (int64_t copies : {1, 40}) {
    const char *from = copies == 1 ? "cached" : "memory";
    for (int64_t rows : {1, 2, 4, 8, 16}) {
      all.push_back({fmt::format("rows {} 768x3072 {}", rows, from), rows, 768, 3072, "", false, true, copies});
      all.push_back({fmt::format("rows {} 3072x768 {}", rows, from), rows, 3072, 768, "", false, true, copies});
    }
  }
  all.push_back({"rows 1 logits 768x50257 unpacked", 1, 768, 50257, "", true, false});
  all.push_back({"rows 1 logits 768x50257 packed", 1, 768, 50257, "", true, true});
  return all;
}

} // namespace

int main(int argc, char **argv) {
  std::string wanted = argc > 1 ? argv[1] : "";
  schedule = argc > 2 ? argv[2] : "";
  Target target = llvm::cantFail(Target::resolve("native"));
  for (const Case &c : cases())
    if (c.name.find(wanted) != std::string::npos)
      run(c, target);
}
