// Benchmark of attention kernels on one core: useful operations (unmasked pairs only) relative to the FMA peak of the
// same run, for decode bytes relative to the read bandwidth. A mask is also compared with the same shape without it:
//
//   ratio = (masked seconds / full seconds) / fraction of blocks with an unmasked pair
//
// Other results than the value are compared with the value alone:
//
//   attend-benchmark outputs
//   attend-benchmark [name part [schedule]]        such as: attend-benchmark causal "tile_kv = 96 : i64"
//   attend-benchmark additive                      additive attention relative to the time of its tanhs
//   attend-benchmark masks                         kinds of masks relative to their fraction of blocks
#include "benchmarks/kernels/Additive.h"
#include "benchmarks/kernels/Masks.h"
#include "benchmarks/support/CompiledKernel.h"
#include "benchmarks/support/Machine.h"
#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace attnc::bench;

namespace {

struct Case {
  std::string name;
  int64_t heads = 2, queries = 2048, keys = 2048, dim = 64, group = 1;
  bool hasConstantQueries = false, hasConstantKeys = false; ///< their number is a constant of the kernel
  std::string captured, score = "%y = arith.mulf %s, %scale : f32", mask, normaliser = "softmax";
  std::vector<std::string> outputs; ///< results other than the value
  float range = 1;
  double pairs = 0; ///< unmasked pairs of a head
  /// True if a pair is unmasked; if set, the case is compared with the same shape without the mask.
  std::function<bool(int64_t query, int64_t key)> keeps;
  std::vector<void *> operands;

  std::string text() const;
};

std::string schedule; ///< schedule of every kernel; empty: the emitter's choice

constexpr int64_t largestKeys = 4;

/// The type of a result other than the value.
std::string typeOf(const Case &each, const std::string &output) {
  std::string size = output.starts_with("top") ? fmt::format("?x{}", largestKeys) : "?";
  return fmt::format("tensor<{}x{}x{}>", each.heads, size, output == "top" ? "i32" : "f32");
}

std::string Case::text() const {
  std::string yields = "value";
  for (const std::string &output : outputs)
    yields += ", " + output;
  auto size = [](bool isConstant, int64_t number) { return isConstant ? std::to_string(number) : "?"; };
  std::string q = fmt::format("tensor<{}x{}x{}xf32>", heads, size(hasConstantQueries, queries), dim),
              k = fmt::format("tensor<{}x{}x{}xf32>", heads / group, size(hasConstantKeys, keys), dim), types = q;
  for (const std::string &output : outputs)
    types += ", " + typeOf(*this, output);
  std::string out = fmt::format("func.func private @attend(%q: {0}, %k: {1}, %v: {1}{2}) -> ({4}) attributes "
                                "{{attn.kernel = \"attend\", attn.schedule = {{{3}}}}} {{\n",
                                q, k, captured, schedule, types);
  out +=
      fmt::format("%c1 = arith.constant 1 : index %H = arith.constant {} : index %D = arith.constant {} : index %g = "
                  "arith.constant {} : index %N = tensor.dim %q, %c1 : {} %M = tensor.dim %k, %c1 : {} %scale = "
                  "arith.constant {:.9e} : f32 %cap = arith.constant 20.0 : f32\n",
                  heads, dim, group, q, k, 1 / std::sqrt(double(dim)));
  std::string results = outputs.empty() ? "%r" : fmt::format("%r:{}", 1 + outputs.size()), returned = "%r";
  for (size_t output = 0; !outputs.empty() && output <= outputs.size(); ++output)
    returned = (output == 0 ? "" : returned + ", ") + fmt::format("%r#{}", output);
  out += results + " = attn.attend " + normaliser + " outer(%H, %N) keys(%M) values(%D) yields [" + yields +
         "] score(%h, %i, %j) { %kh = "
         "arith.floordivsi %h, %g : index %s = attn.reduce add (%d) in (%D) {";
  out += fmt::format("%a = tensor.extract %q[%h, %i, %d] : {} %b = tensor.extract %k[%kh, %j, %d] : {} %t = arith.mulf "
                     "%a, %b : f32 attn.yield %t : f32 }} : f32 {} attn.yield %y : f32 }}\n",
                     q, k, score);
  if (!mask.empty())
    out += fmt::format("mask(%h, %i, %j) {{ {} attn.yield %m : i1 }}\n", mask);
  return out +
         fmt::format("value(%h, %i, %j, %e) {{ %kh = arith.floordivsi %h, %g : index %x = tensor.extract %v[%kh, "
                     "%j, %e] : {1} attn.yield %x : f32 }} {{top = {4} : i64, summed = array<i64: 1>}} : {2} return "
                     "{3} : {2} }}\n",
                     q, k, types, returned, largestKeys);
}

const char *causal = "%m = arith.cmpi sle, %j, %i : index";
const char *softCap = "%y0 = arith.mulf %s, %scale : f32 %y1 = arith.divf %y0, %cap : f32 %y2 = math.tanh %y1 : f32 %y "
                      "= arith.mulf %y2, %cap : f32";
const char *learned = "%y0 = arith.mulf %s, %scale : f32 %y1 = tensor.extract %bias[%h, %i, %j] : tensor<2x?x?xf32> %y "
                      "= arith.addf %y0, %y1 : f32";

double triangle(double n) { return n * (n + 1) / 2; }

std::vector<Case> prefillCases() {
  std::vector<Case> all;
  auto add = [&](std::string name) -> Case & {
    all.emplace_back().name = std::move(name);
    return all.back();
  };
  for (int64_t dim : {64, 128})
    for (bool isCausal : {false, true}) {
      Case &each = add(fmt::format("prefill d={} {}", dim, isCausal ? "causal" : "full"));
      each.dim = dim;
      each.mask = isCausal ? causal : "";
      each.pairs = isCausal ? triangle(2048) : 0;
    }
  add("prefill d=64 soft cap").score = softCap;
  Case &bias = add("prefill d=64 learned bias");
  bias.captured = ", %bias: tensor<2x?x?xf32>";
  bias.score = learned;
  bias.operands = {randomFloats(size_t(2) * 2048 * 2048, 1, 9)};
  add("prefill d=80").dim = 80;
  Case &ragged = add("prefill d=64 S=1999");
  ragged.queries = ragged.keys = 1999;
  add("prefill d=64 large scores").range = 40;
  for (bool isConstant : {false, true}) // as in text, and as in networks for images
    for (int64_t length : {8, 16, 32, 49, 50, 64, 65, 128, 197}) {
      Case &each = add(fmt::format("prefill d=64 short S={}{}", length, isConstant ? ", constant" : ""));
      each.heads = 64;
      each.queries = each.keys = length;
      each.hasConstantQueries = each.hasConstantKeys = isConstant;
    }
  Case &window = add("prefill d=64 window 512 of 8192");
  window.queries = window.keys = 8192;
  window.mask = "%w = arith.constant 512 : index %x0 = arith.subi %i, %j : index %x1 = arith.cmpi slt, %x0, %w : index "
                "%x2 = arith.cmpi sle, %j, %i : index %m = arith.andi %x1, %x2 : i1";
  window.pairs = triangle(512) + (8192 - 512) * 512.0;
  window.keeps = [](int64_t query, int64_t key) { return key <= query && query - key < 512; };
  Case &documents = add("prefill d=64 8 documents of 1024");
  documents.queries = documents.keys = 8192;
  documents.captured = ", %doc: tensor<?xi32>";
  documents.mask = "%x0 = tensor.extract %doc[%i] : tensor<?xi32> %x1 = tensor.extract %doc[%j] : tensor<?xi32> %m = "
                   "arith.cmpi eq, %x0, %x1 : i32";
  documents.pairs = 8 * 1024.0 * 1024.0;
  documents.keeps = [](int64_t query, int64_t key) { return query / 1024 == key / 1024; };
  auto *numbers = reinterpret_cast<int32_t *>(randomFloats(8192, 1, 1));
  for (int i = 0; i < 8192; ++i)
    numbers[i] = i / 1024;
  documents.operands = {numbers};
  for (const char *normaliser : {"none", "entmax(2.0)", "entmax(1.5)", "entmax(1.3)", "hard", "stick_breaking"}) {
    Case &each = add(fmt::format("prefill d=64 normaliser {}", normaliser));
    each.normaliser = normaliser;
    each.range = 2; // standard deviation of scores about one, as in trained models
  }
  return all;
}

std::function<void()> prepare(const CompiledKernel &kernel, const Case &each, float *keys, float *values) {
  float *q = randomFloats(size_t(each.heads * each.queries * each.dim), each.range, 1);
  float *o = randomFloats(size_t(each.heads * each.queries * each.dim) + 1000, 0, 4) + 400;
  std::vector<void *> buffers = {q, keys, values};
  buffers.insert(buffers.end(), each.operands.begin(), each.operands.end());
  buffers.push_back(o);
  for (size_t output = 0; output < each.outputs.size(); ++output)
    buffers.push_back(randomFloats(size_t(each.heads * largestKeys * std::max(each.queries, each.keys)), 0, 5));
  std::vector<int64_t> sizes;
  if (!each.hasConstantQueries)
    sizes.push_back(each.queries);
  if (!each.hasConstantKeys)
    sizes.insert(sizes.end(), 2, each.keys);
  if (each.captured.find("bias") != std::string::npos)
    sizes.insert(sizes.end(), {each.queries, each.keys});
  if (each.captured.find("doc") != std::string::npos)
    sizes.push_back(each.keys);
  if (!each.hasConstantQueries)
    sizes.push_back(each.queries);
  for (const std::string &output : each.outputs)
    sizes.push_back(output == "key_sums" ? each.keys : each.queries);
  return kernel.launcher(buffers, sizes);
}

/// The fraction of the schedule's blocks, tile_q queries by tile_kv keys, with an unmasked pair.
double shareOfBlocks(const Case &each) {
  attnc::AttendSchedule blocks;
  auto keepsOne = [&](int64_t firstQuery, int64_t firstKey) {
    for (int64_t query = firstQuery; query < std::min(each.queries, firstQuery + blocks.tileQ()); ++query)
      for (int64_t key = firstKey; key < std::min(each.keys, firstKey + blocks.tileKv); ++key)
        if (each.keeps(query, key))
          return true;
    return false;
  };
  int64_t kept = 0, all = 0;
  for (int64_t query = 0; query < each.queries; query += blocks.tileQ())
    for (int64_t key = 0; key < each.keys; key += blocks.tileKv, ++all)
      kept += keepsOne(query, key);
  return double(kept) / double(all);
}

/// The time of `body` divided by `share` times that of another kernel of the same shape.
double timeBy(const Case &other, double share, const std::function<void()> &body, float *keys, float *values) {
  CompiledKernel kernel(other.text());
  auto otherBody = prepare(kernel, other, keys, values);
  auto perSecond = [&] {
    double start = threadSeconds();
    otherBody();
    return 1 / (threadSeconds() - start);
  };
  otherBody();
  return 1 / measure(share, 5, body, perSecond).share;
}

void compareWithFull(const Case &each, const std::function<void()> &masked, float *keys, float *values) {
  Case full = each;
  full.mask = full.captured = "";
  full.operands.clear();
  double share = shareOfBlocks(each);
  fmt::print("{:44} {:10.2f} x the time of its share of blocks ({:.2f} %)\n", "",
             timeBy(full, share, masked, keys, values), share * 100);
}

/// Cost of other results than the value: the time with them divided by the time of the value alone.
void runOutputs(const std::string &name, const std::vector<std::string> &outputs, const char *mask) {
  Case each, alone;
  each.mask = alone.mask = mask;
  each.outputs = outputs;
  each.range = alone.range = 2;
  size_t elements = size_t(each.heads * each.keys * each.dim);
  float *keys = randomFloats(elements + 1024, each.range, 2) + 208, *values = randomFloats(elements + 1024, 1, 3) + 624;
  CompiledKernel kernel(each.text());
  auto body = prepare(kernel, each, keys, values);
  fmt::print("{:44} {:10.2f} x the time of the value alone\n", name, timeBy(alone, 1, body, keys, values));
}

void compareWithSoftmax(const Case &each, const std::function<void()> &body, float *keys, float *values) {
  Case softmax = each;
  softmax.normaliser = "softmax";
  fmt::print("{:44} {:10.2f} x the time of softmax\n", "", timeBy(softmax, 1, body, keys, values));
}

void runPrefill(const Case &each) {
  CompiledKernel kernel(each.text());
  size_t elements = size_t(each.heads / each.group * each.keys * each.dim);
  float *keys = randomFloats(elements + 1024, each.range, 2) + 208, *values = randomFloats(elements + 1024, 1, 3) + 624;
  auto body = prepare(kernel, each, keys, values);
  double pairs = each.pairs ? each.pairs : double(each.queries) * double(each.keys);
  print(each.name, measure(double(each.heads) * pairs * 4 * double(each.dim), 9, body, fmaPeak), "FLOP");
  if (each.keeps)
    compareWithFull(each, body, keys, values);
  if (each.normaliser != "softmax")
    compareWithSoftmax(each, body, keys, values);
}

/// Keys and values are at another offset of a large buffer each time, so that they come from main memory. If cached,
/// they are at the same offset and come from the smallest cache that fits them. The reference reads the same way.
void runDecode(int64_t keys, bool isCached) {
  Case each;
  each.name = fmt::format("decode {} keys, {}", keys, isCached ? "cached" : "from memory");
  each.heads = 32;
  each.group = 4;
  each.hasConstantQueries = true;
  each.queries = 1;
  each.keys = keys;
  each.dim = 128;
  CompiledKernel kernel(each.text());
  size_t elements = size_t(8 * keys * 128), places = isCached ? 1 : (size_t(1) << 28) / (2 * elements);
  float *memory = randomFloats(2 * elements * places, 1, 2);
  std::vector<std::function<void()>> bodies;
  for (size_t place = 0; place < places; ++place)
    bodies.push_back(prepare(kernel, each, memory + 2 * elements * place, memory + 2 * elements * place + elements));
  size_t place = 0;
  auto next = [&] { return place = (place + 1) % places; };
  double bytes = double(2 * elements * sizeof(float));
  auto result = measure(
      bytes, 15, [&] { bodies[next()](); },
      [&] { return readBandwidth(memory + 2 * elements * next(), size_t(bytes)); });
  print(each.name, result, "B");
}

} // namespace

int main(int argc, char **argv) {
  const char *part = argc > 1 ? argv[1] : "";
  schedule = argc > 2 ? argv[2] : "";
  auto wanted = [&](const std::string &name) { return name.find(part) != std::string::npos; };
  for (const Case &each : prefillCases())
    if (wanted(each.name))
      runPrefill(each);
  for (const char *mask : {"", causal})
    for (const char *output : {"lse", "entropy", "top", "top_weights", "key_sums"})
      if (std::string name = fmt::format("outputs {} {}", *mask ? "causal" : "full", output); wanted(name))
        runOutputs(name, {output}, mask);
  if (wanted("outputs all"))
    runOutputs("outputs all", {"lse", "entropy", "top", "top_weights", "key_sums"}, "");
  for (int64_t keys : {4096, 16384})
    for (bool isCached : {false, true})
      if (wanted("decode"))
        runDecode(keys, isCached);
  if (wanted("additive"))
    runAdditive();
  if (wanted("masks"))
    runMasks();
  if (wanted("compile")) {
    CompiledKernel kernel(prefillCases()[1].text());
    fmt::print("compile one causal kernel: {:.2f} s, {} bytes of object\n", kernel.compileSeconds(),
               kernel.objectBytes());
  }
  return 0;
}
