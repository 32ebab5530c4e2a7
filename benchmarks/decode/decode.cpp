// A decoding step of GPT-2's shape (124M, fp32) with CACHED tokens in the cache, on all cores and on one:
//
//   decode-benchmark [CACHED]...     default 64 512 1000: time of a token, and its bandwidth as a fraction of the read
//                                    bandwidth of the same number of threads, measured in the same run
//
// Bytes: each weight once (one row of the position table), and the keys and values of the cached positions.
#include "benchmarks/support/Machine.h"
#include "benchmarks/support/Model.h"
#include "gpt2.h"
#include <cstdio>
#include <vector>

using namespace attnc::bench;

namespace {

constexpr int64_t layers = 12, dim = 768, vocab = 50257, capacity = 1024;
constexpr int repetitions = 15;
constexpr size_t referenceFloats = size_t(64) << 20;

double bytesOf(int64_t cached) {
  double ofLayers = double(layers * (12 * dim * dim + 13 * dim)), ofTable = double((vocab + 4) * dim);
  return 4 * (ofLayers + ofTable + double(layers * 2 * (cached + 1) * dim));
}

void report(const Weights &weights, const attn_executor *executor, int32_t cached, const float *reference) {
  Context context(weights, executor, gpt2_next_arena_bytes(1, capacity, executor->workers));
  float *keys = randomFloats(layers * capacity * dim, 1, 1), *values = randomFloats(layers * capacity * dim, 1, 2);
  std::vector<float> logits(vocab);
  int32_t token = 0;
  auto step = [&] {
    attn_status status;
    token = (token + 1000) % int32_t(vocab);
    must(gpt2_next(context.get(), 1, capacity, &token, &cached, keys, values, logits.data(), &status), status);
  };
  Measurement found = measure(
      bytesOf(cached), repetitions, step, [&] { return readBandwidthOf(executor, reference, referenceFloats * 4); },
      Clock::Wall);
  std::printf("%lld threads, %4d tokens cached: %6.2f ms a token, %5.1f GB/s, %5.1f %% of the %.1f that they read at\n",
              (long long)executor->workers, cached, 1e3 * found.seconds, 1e-9 * found.rate, 100 * found.share,
              1e-9 * found.reference);
  std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments) {
  Workers workers;
  Weights weights(gpt2_model, workers);
  const float *reference = randomFloats(referenceFloats, 1, 3);
  for (int64_t cached : numbersOf(count, arguments, {64, 512, 1000}))
    for (const attn_executor *executor : {attn_serial_executor(), workers.executor()})
      report(weights, executor, int32_t(cached), reference);
}
