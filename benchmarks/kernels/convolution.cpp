// Benchmark of convolutions on one core, relative to the FMA peak of the same run, by each emitter that supports them.
//
//   convolution-benchmark [name part]
#include "benchmarks/support/CompiledKernel.h"
#include "benchmarks/support/Machine.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/Halide/HalideEmitter.h"
#include <cstdio>
#include <fmt/format.h>

using namespace attnc;
using namespace attnc::bench;

namespace {

struct Case {
  std::string name, kernel;
  double flops;
  std::vector<int64_t> buffers; ///< number of elements of each operand, then of the result
};

/// A 2-D convolution with `taps` x `taps` windows, features last, on an image that is already padded.
Case overImage(int64_t size, int64_t taps, int64_t inputs, int64_t outputs) {
  int64_t whole = size + taps - 1;
  std::string x = fmt::format("tensor<{0}x{0}x{1}xf32>", whole, inputs),
              w = fmt::format("tensor<{0}x{0}x{1}x{2}xf32>", taps, inputs, outputs),
              y = fmt::format("tensor<{0}x{0}x{1}xf32>", size, outputs);
  std::string text = fmt::format(
      R"(func.func private @k(%x: {0}, %w: {1}) -> {2} attributes {{attn.kernel = "loops"}} {{
%zero = arith.constant 0.0 : f32 %empty = tensor.empty() : {2}
%init = linalg.fill ins(%zero : f32) outs(%empty : {2}) -> {2}
%r = linalg.generic {{indexing_maps = [affine_map<(i, j, o, di, dj, c) -> (di, dj, c, o)>,
affine_map<(i, j, o, di, dj, c) -> (i, j, o)>],
iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}}
ins(%w : {1}) outs(%init : {2}) {{
^bb0(%b: f32, %s: f32):
%i = linalg.index 0 : index %j = linalg.index 1 : index %di = linalg.index 3 : index %dj = linalg.index 4 : index
%c = linalg.index 5 : index %p = arith.addi %i, %di : index %q = arith.addi %j, %dj : index
%a = tensor.extract %x[%p, %q, %c] : {0}
%m = arith.mulf %a, %b : f32 %t = arith.addf %s, %m : f32 linalg.yield %t : f32 }} -> {2}
return %r : {2} }})",
      x, w, y);
  return {fmt::format("{0}x{0} {1}->{2} on {3}x{3}", taps, inputs, outputs, size),
          text,
          2.0 * size * size * outputs * taps * taps * inputs,
          {whole * whole * inputs, taps * taps * inputs * outputs, size * size * outputs}};
}

/// A causal 1-D convolution with three taps at distance `dilation`, padded with zeros at the start.
Case causal(int64_t positions, int64_t dilation, int64_t features) {
  std::string x = fmt::format("tensor<{}x{}xf32>", positions, features),
              w = fmt::format("tensor<3x{0}x{0}xf32>", features);
  std::string text = fmt::format(
      R"(func.func private @k(%x: {0}, %w: {1}) -> {0} attributes {{attn.kernel = "loops"}} {{
%zero = arith.constant 0.0 : f32 %empty = tensor.empty() : {0} %c0 = arith.constant 0 : index
%apart = arith.constant {2} : index
%init = linalg.fill ins(%zero : f32) outs(%empty : {0}) -> {0}
%r = linalg.generic {{indexing_maps = [affine_map<(s, o, t, c) -> (t, c, o)>, affine_map<(s, o, t, c) -> (s, o)>],
iterator_types = ["parallel", "parallel", "reduction", "reduction"]}} ins(%w : {1}) outs(%init : {0}) {{
^bb0(%b: f32, %sum: f32):
%s = linalg.index 0 : index %t = linalg.index 2 : index %c = linalg.index 3 : index
%back = arith.muli %t, %apart : index %has = arith.cmpi sge, %s, %back : index
%p0 = arith.subi %s, %back : index %p = arith.maxsi %p0, %c0 : index
%a0 = tensor.extract %x[%p, %c] : {0} %a = arith.select %has, %a0, %zero : f32
%m = arith.mulf %a, %b : f32 %y = arith.addf %sum, %m : f32 linalg.yield %y : f32 }} -> {0}
return %r : {0} }})",
      x, w, dilation);
  return {fmt::format("causal, dilation {} {}->{} over {}", dilation, features, features, positions),
          text,
          2.0 * positions * features * features * 3,
          {positions * features, 3 * features * features, positions * features}};
}

void run(const Case &c, const Emitter &emitter, const std::string &wanted) {
  std::string name = fmt::format("{} / {}", c.name, emitter.name());
  if (name.find(wanted) == std::string::npos)
    return;
  CompiledKernel kernel(c.kernel, "native", emitter);
  std::vector<void *> buffers;
  for (size_t number = 0; number < c.buffers.size(); ++number)
    buffers.push_back(randomFloats(c.buffers[number], 1, number + 1));
  print(name, measure(c.flops, 31, kernel.launcher(buffers, {}), fmaPeak), "flop");
  std::printf("    compiled in %.0f ms, %zu bytes\n", 1e3 * kernel.compileSeconds(), kernel.objectBytes());
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  std::string wanted = argc > 1 ? argv[1] : "";
  for (const Case &c : {overImage(56, 3, 64, 64), overImage(56, 1, 128, 128), causal(2048, 4, 64),
                        overImage(28, 3, 128, 128), overImage(14, 3, 256, 256), overImage(28, 5, 32, 48)})
    for (const auto &emitter : {createHalideEmitter(), createCpuEmitter()})
      run(c, *emitter, wanted);
}
