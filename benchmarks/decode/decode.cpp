// One token of GPT-2's shape (124M, fp32) behind those that are cached, on all cores and on one:
//
//   decode-benchmark [CACHED]...     64 512 1000 unless said: time of a token, and its share of the bandwidth at which
//                                    as many threads read memory, measured beside it
//
// Bytes: each weight once (a row of the positions' table alone), and the keys and values of the cached positions.
#include "attn/attn.h"
#include "benchmarks/support/Machine.h"
#include "gpt2.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace attnc::bench;

namespace {

constexpr int64_t layers = 12, dim = 768, vocab = 50257, capacity = 1024;
constexpr int repetitions = 15;
constexpr size_t referenceFloats = size_t(64) << 20;

void must(attn_code code, const attn_status &status) {
  if (code == ATTN_OK)
    return;
  std::fprintf(stderr, "%s\n", status.message);
  std::exit(1);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double bytesOf(int64_t cached) {
  double ofLayers = double(layers * (12 * dim * dim + 13 * dim)), ofTable = double((vocab + 4) * dim);
  return 4 * (ofLayers + ofTable + double(layers * 2 * (cached + 1) * dim));
}

void report(attn_weights *weights, const attn_executor *executor, int32_t cached, const float *reference) {
  int64_t bytes = gpt2_next_arena_bytes(1, capacity, executor->workers);
  attn_context context = {weights, executor, attn_memory_allocate(size_t(bytes)), bytes};
  if (!context.arena) {
    std::fprintf(stderr, "no memory for an arena of %lld bytes\n", (long long)bytes);
    std::exit(1);
  }
  float *keys = randomFloats(layers * capacity * dim, 1, 1), *values = randomFloats(layers * capacity * dim, 1, 2);
  std::vector<float> logits(vocab);
  std::vector<double> times, shares, bandwidths;
  for (int32_t i = -2; i < repetitions; ++i) {
    int32_t token = (i + 2) * 1000;
    attn_status status;
    double before = readBandwidthOf(executor, reference, referenceFloats * 4), from = now();
    must(gpt2_next(&context, 1, capacity, &token, &cached, keys, values, logits.data(), &status), status);
    double took = now() - from, bandwidth = 0.5 * (before + readBandwidthOf(executor, reference, referenceFloats * 4));
    if (i < 0) // warms up
      continue;
    times.push_back(took);
    bandwidths.push_back(bandwidth);
    shares.push_back(bytesOf(cached) / took / bandwidth);
  }
  std::printf("%lld threads, %4d tokens cached: %6.2f ms a token, %5.1f GB/s, %5.1f %% of the %.1f that they read at\n",
              (long long)executor->workers, cached, 1e3 * median(times), 1e-9 * bytesOf(cached) / median(times),
              100 * median(shares), 1e-9 * median(bandwidths));
  std::fflush(stdout);
  attn_memory_free(context.arena, size_t(bytes));
}

} // namespace

int main(int count, char **arguments) {
  attn_status status;
  attn_pool *pool;
  attn_weights *weights;
  must(attn_pool_create(0, &pool, &status), status);
  must(attn_weights_initialise(&gpt2_model, 0, attn_pool_executor(pool), &weights, &status), status);
  const float *reference = randomFloats(referenceFloats, 1, 3);
  std::vector<int32_t> cached = {64, 512, 1000};
  if (count > 1)
    cached.clear();
  for (int i = 1; i < count; ++i)
    cached.push_back(std::atoi(arguments[i]));
  for (int32_t length : cached)
    for (const attn_executor *executor : {attn_serial_executor(), attn_pool_executor(pool)})
      report(weights, executor, length, reference);
  attn_weights_free(weights);
  attn_pool_destroy(pool);
}
