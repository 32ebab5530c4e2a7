// Benchmark of attention gradients on one core: operations of five products over unmasked pairs, relative to the FMA
// peak of the same run.
//
//   attend-gradient-benchmark [name part [schedule]]    such as: attend-gradient-benchmark causal "tile_q = 64 : i64"
//   attend-gradient-benchmark threads                   speedup of two threads
//   attend-gradient-benchmark compile                   compile time of one kernel
#include "benchmarks/support/CompiledKernel.h"
#include "benchmarks/support/Machine.h"
#include <cmath>
#include <fmt/format.h>

using namespace attnc::bench;

namespace {

struct Case {
  std::string name;
  int64_t heads = 2, length = 2048, dim = 64;
  bool isCausal = false, hasBias = false, isBiasLearned = false;
  std::string score = "%y = arith.mulf %s, %scale : f32";
  float range = 1;

  std::string rowType() const { return fmt::format("tensor<{}x?x{}xf32>", heads, dim); }
  std::string biasType() const { return fmt::format("tensor<{}x?x?xf32>", heads); }
  /// Text of a kernel with the captured tensors as arguments, and the attention op `op` with the regions of the case.
  std::string kernel(const std::string &kind, const std::string &parameters, const std::string &results,
                     const std::string &op, const std::string &returned) const;
  std::string forward() const;
  std::string gradient() const;
  double pairs() const { return double(length) * (isCausal ? double(length + 1) / 2 : double(length)); }
};

std::string schedule; ///< schedule of every gradient; empty: the emitter's choice

std::string Case::kernel(const std::string &kind, const std::string &parameters, const std::string &results,
                         const std::string &op, const std::string &returned) const {
  std::string row = rowType();
  std::string out = fmt::format(
      "func.func private @k(%q: {0}, %k: {0}, %v: {0}{1}{2}) -> ({3}) attributes {{attn.kernel "
      "= \"{4}\", attn.schedule = {{{5}}}}} {{\n",
      row, hasBias ? ", %bias: " + biasType() : "", parameters, results, kind, kind == "attend" ? "" : schedule);
  out +=
      fmt::format("%c1 = arith.constant 1 : index %H = arith.constant {} : index %D = arith.constant {} : index %N = "
                  "tensor.dim %q, %c1 : {} %scale = arith.constant {:.9e} : f32 %cap = arith.constant 20.0 : f32\n",
                  heads, dim, row, 1 / std::sqrt(double(dim)));
  out +=
      fmt::format("{0} score(%h, %i, %j) {{ %s = attn.reduce add (%d) in (%D) {{ %a = tensor.extract %q[%h, %i, %d] : "
                  "{1} %b = tensor.extract %k[%h, %j, %d] : {1} %t = arith.mulf %a, %b : f32 attn.yield %t : f32 }} "
                  ": f32 {2} attn.yield %y : f32 }}\n",
                  op, row, score);
  if (isCausal)
    out += "mask(%h, %i, %j) { %m = arith.cmpi sle, %j, %i : index attn.yield %m : i1 }\n";
  return out + fmt::format("value(%h, %i, %j, %e) {{ %x = tensor.extract %v[%h, %j, %e] : {} attn.yield %x : f32 }} {} "
                           "}}\n",
                           row, returned);
}

std::string Case::forward() const {
  std::string types = fmt::format("{}, tensor<{}x?xf32>", rowType(), heads);
  return kernel("attend", "", types,
                "%r:2 = attn.attend softmax outer(%H, %N) keys(%N) values(%D) yields [\"value\", \"lse\"]",
                fmt::format(": {0} return %r#0, %r#1 : {0}", types));
}

std::string Case::gradient() const {
  std::string row = rowType(), lse = fmt::format("tensor<{}x?xf32>", heads);
  std::string types = fmt::format("{0}, {0}, {0}", row) + (isBiasLearned ? ", " + biasType() : "");
  std::string op = fmt::format("%r:{0} = attn.attend_gradient softmax outer(%H, %N) keys(%N) values(%D) yields [value] "
                               "cotangents(%dy : {1}) saved(%o, %lse : {1}, {2}) of(%q, %k, %v{3} : {4})",
                               isBiasLearned ? 4 : 3, row, lse, isBiasLearned ? ", %bias" : "", types);
  return kernel("attend_gradient", fmt::format(", %dy: {0}, %o: {0}, %lse: {1}", row, lse), types, op,
                fmt::format("return %r#0, %r#1, %r#2{} : {}", isBiasLearned ? ", %r#3" : "", types));
}

std::vector<Case> cases() {
  std::vector<Case> all;
  auto add = [&](std::string name) -> Case & {
    all.emplace_back().name = std::move(name);
    return all.back();
  };
  for (int64_t dim : {64, 128})
    for (bool isCausal : {false, true}) {
      Case &each = add(fmt::format("d={} {}", dim, isCausal ? "causal" : "full"));
      each.dim = dim;
      each.isCausal = isCausal;
    }
  for (bool isLearned : {false, true}) {
    Case &bias = add(isLearned ? "d=64 learned bias" : "d=64 frozen bias");
    bias.hasBias = true;
    bias.isBiasLearned = isLearned;
    bias.score = "%y0 = arith.mulf %s, %scale : f32 %y1 = tensor.extract %bias[%h, %i, %j] : " + bias.biasType() +
                 " %y = arith.addf %y0, %y1 : f32";
  }
  add("d=64 soft cap").score = "%y0 = arith.mulf %s, %scale : f32 %y1 = arith.divf %y0, %cap : f32 %y2 = math.tanh %y1 "
                               ": f32 %y = arith.mulf %y2, %cap : f32";
  add("d=64 large scores").range = 8;
  add("d=80").dim = 80;
  for (int64_t length : {64, 300, 1999})
    add(fmt::format("d=64 S={}", length)).length = length;
  for (int64_t length : {8, 16, 32, 49, 64, 128}) {
    Case &each = add(fmt::format("d=64 short S={}", length));
    each.heads = 64;
    each.length = length;
  }
  return all;
}

/// The gradient kernel of a case, with operands from a run of the forward pass.
struct Subject {
  explicit Subject(const Case &each);
  CompiledKernel gradient;
  std::vector<void *> buffers;
  std::vector<int64_t> sizes;
};

Subject::Subject(const Case &each) : gradient(each.gradient()) {
  size_t elements = size_t(each.heads * each.length * each.dim), stride = elements + 1040;
  auto tensor = [&](float range, unsigned seed) { return randomFloats(stride, range, seed) + 16 * seed; };
  float *q = tensor(each.range, 1), *k = tensor(each.range, 2), *v = tensor(1, 3), *dy = tensor(1, 4);
  float *o = tensor(0, 5), *dq = tensor(0, 6), *dk = tensor(0, 7), *dv = tensor(0, 8);
  float *lse = randomFloats(size_t(each.heads * each.length), 0, 9);
  size_t squares = each.hasBias ? size_t(each.heads * each.length * each.length) : 0;
  std::vector<void *> operands = {q, k, v};
  sizes.assign(3, each.length);
  if (each.hasBias) {
    operands.push_back(randomFloats(squares, 1, 10));
    sizes.insert(sizes.end(), 2, each.length);
  }
  auto joined = [](auto all, const auto &more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  CompiledKernel forward(each.forward());
  forward.launcher(joined(operands, std::vector<void *>{o, lse}),
                   joined(sizes, std::vector<int64_t>(2, each.length)))();
  std::vector<void *> results = {dq, dk, dv};
  if (each.isBiasLearned)
    results.push_back(randomFloats(squares, 0, 11));
  buffers = joined(joined(operands, std::vector<void *>{dy, o, lse}), results);
  sizes = joined(sizes, std::vector<int64_t>(each.isBiasLearned ? 8 : 6, each.length));
}

void run(const Case &each) {
  Subject subject(each);
  print(each.name,
        measure(double(each.heads) * each.pairs() * 10 * double(each.dim), 9,
                subject.gradient.launcher(subject.buffers, subject.sizes), fmaPeak),
        "FLOP");
}

/// Speedup of two threads, in alternating runs by wall-clock time.
void runOnTwoThreads(const Case &each) {
  Subject subject(each);
  auto seconds = [](const std::function<void()> &body) {
    double start = wallSeconds();
    body();
    return wallSeconds() - start;
  };
  auto one = subject.gradient.launcher(subject.buffers, subject.sizes);
  auto two = subject.gradient.launcher(subject.buffers, subject.sizes, 2);
  std::vector<double> ratios;
  for (int repetition = 0; repetition < 15; ++repetition) {
    double alone = seconds(one);
    ratios.push_back(alone / seconds(two));
  }
  fmt::print("two threads, {} heads, {:<24} {:.2f} times as fast as one\n", each.heads, each.name, median(ratios));
}

} // namespace

int main(int argc, char **argv) {
  std::string part = argc > 1 ? argv[1] : "";
  schedule = argc > 2 ? argv[2] : "";
  for (const Case &each : cases())
    if (each.name.find(part) != std::string::npos)
      run(each);
  if (part == "threads")
    for (int64_t heads : {1, 8})
      for (Case each : {cases()[0], cases()[1]}) {
        each.heads = heads;
        runOnTwoThreads(each);
      }
  if (part == "compile") {
    CompiledKernel kernel(cases()[1].gradient());
    fmt::print("compile one causal gradient: {:.2f} s, {} bytes of object\n", kernel.compileSeconds(),
               kernel.objectBytes());
  }
  return 0;
}
