// Speedup by a second core with the runtime's thread pool, and memory by sequence length:
//
//   scaling-benchmark           for each entry point of scaling.attn: time on one worker divided by time on two,
//                               medians of alternating runs; arena bytes of attention and its gradient, fitted by a
//                               line through six lengths, with the largest deviation
#include "scaling.h"
#include "benchmarks/support/Machine.h"
#include "benchmarks/support/Model.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

using namespace attnc::bench;

namespace {

constexpr int repetitions = 15;

using Call = std::function<attn_code(const attn_context *, attn_status *)>;

/// Wall-clock seconds of one call.
double secondsOf(const Call &call, const Context &context) {
  attn_status status;
  double start = wallSeconds();
  must(call(context.get(), &status), status);
  return wallSeconds() - start;
}

struct Pools {
  Workers one{1}, two{2};
  Weights weights{scaling_model, two};
};

/// Alternates `call` on one and on two workers; it needs an arena of `bytes` on two workers.
void report(const char *name, const Pools &pools, double flops, int64_t bytes, const Call &call) {
  const attn_executor *one = pools.one.executor(), *two = pools.two.executor();
  Context alone(pools.weights, one, bytes), together(pools.weights, two, bytes);
  std::vector<double> aloneTimes, times, ratios, peakRatios, shares;
  secondsOf(call, alone);
  secondsOf(call, together);
  for (int i = 0; i < repetitions; ++i) {
    double onePeak = fmaPeakOf(one), oneTime = secondsOf(call, alone);
    double twoPeak = fmaPeakOf(two), twoTime = secondsOf(call, together);
    aloneTimes.push_back(oneTime);
    times.push_back(twoTime);
    ratios.push_back(oneTime / twoTime);
    peakRatios.push_back(twoPeak / onePeak);
    shares.push_back(flops / twoTime / twoPeak);
  }
  std::printf("%-28s %8.2f ms on one core %8.2f on two: %.2f x (FMA peak %.2f x), %4.1f %% of two cores' peak\n", name,
              median(aloneTimes) * 1e3, median(times) * 1e3, median(ratios), median(peakRatios), median(shares) * 100);
  std::fflush(stdout);
}

void reportProduct(const Pools &pools) {
  constexpr int64_t rows = 1024, inputs = 768, outputs = 3072;
  float *x = randomFloats(rows * inputs, 1, 1), *y = randomFloats(rows * outputs, 1, 2);
  report(
      "product 1024x768x3072", pools, 2.0 * rows * inputs * outputs, scaling_product_arena_bytes(rows, 2),
      [&](const attn_context *context, attn_status *status) { return scaling_product(context, rows, x, y, status); });
}

void reportAttention(const Pools &pools) {
  constexpr int64_t heads = 8, n = 2048, dim = 64;
  float *q = randomFloats(heads * n * dim, 1, 1), *k = randomFloats(heads * n * dim, 1, 2),
        *v = randomFloats(heads * n * dim, 1, 3), *y = randomFloats(heads * n * dim, 1, 4);
  report("attend 8x2048x64", pools, 4.0 * heads * dim * n * n, scaling_unmasked_arena_bytes(n, 2),
         [&](const attn_context *context, attn_status *status) {
           return scaling_unmasked(context, n, q, k, v, y, status);
         });
  report(
      "attend causal 8x2048x64", pools, 2.0 * heads * dim * n * (n + 1), scaling_causal_arena_bytes(n, 2),
      [&](const attn_context *context, attn_status *status) { return scaling_causal(context, n, q, k, v, y, status); });
}

/// Fits bytes = constant + slope * length by least squares.
void reportMemory(const char *name) {
  attn_arena_bytes_fn bytesOf = scaling_model.entries[attn_find_entry(&scaling_model, name)].arena_bytes;
  const int64_t lengths[] = {1024, 2048, 4096, 8192, 16384, 32768};
  double count = 0, sumX = 0, sumY = 0, sumXX = 0, sumXY = 0;
  auto bytesAt = [&](int64_t length) { return double(bytesOf(&length, 2)); };
  for (int64_t length : lengths) {
    double x = double(length), y = bytesAt(length);
    count += 1, sumX += x, sumY += y, sumXX += x * x, sumXY += x * y;
  }
  double slope = (count * sumXY - sumX * sumY) / (count * sumXX - sumX * sumX),
         constant = (sumY - slope * sumX) / count;
  double farthest = 0;
  for (int64_t length : lengths)
    farthest = std::max(farthest, std::fabs(bytesAt(length) - constant - slope * double(length)));
  std::printf("%-16s beside inputs and results, 1024 to 32768 keys, 8 heads: %.0f bytes + %.2f a key, within %.0f\n",
              name, constant, slope, farthest);
}

} // namespace

int main() {
  Pools pools;
  reportProduct(pools);
  reportAttention(pools);
  for (const char *name : {"unmasked", "causal", "causal_gradient"})
    reportMemory(name);
}
