// What a second core brings, through the runtime's own pool of threads, and what memory a longer sequence costs:
//
//   scaling-benchmark           for each entry point of scaling.attn: time on one worker over time on two, by turns,
//                               medians; and the bytes that the arena of attention grows by from 1024 to 65536 keys
#include "scaling.h"
#include "benchmarks/support/Machine.h"
#include <algorithm>
#include <attn/attn.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

using namespace attnc::bench;

namespace {

constexpr int repetitions = 15;

void must(attn_code code, const attn_status &status) {
  if (code == ATTN_OK)
    return;
  std::fprintf(stderr, "%s\n", status.message);
  std::exit(1);
}

/// A pool of threads, and an arena for each call on it.
struct Workers {
  explicit Workers(int64_t count) {
    attn_status status;
    must(attn_pool_create(count, &pool, &status), status);
  }
  ~Workers() { attn_pool_destroy(pool); }
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;
  const attn_executor *executor() const { return attn_pool_executor(pool); }

private:
  attn_pool *pool = nullptr;
};

double secondsOf(const std::function<void()> &body) {
  auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// `call(workers)` by turns on one worker and on two.
void report(const char *name, double flops, const Workers &one, const Workers &two,
            const std::function<void(const Workers &)> &call) {
  std::vector<double> alone, together, ratios, peakRatios, shares;
  call(one);
  call(two);
  for (int i = 0; i < repetitions; ++i) {
    double onePeak = fmaPeakOf(one.executor()), oneTime = secondsOf([&] { call(one); });
    double twoPeak = fmaPeakOf(two.executor()), twoTime = secondsOf([&] { call(two); });
    alone.push_back(oneTime);
    together.push_back(twoTime);
    ratios.push_back(oneTime / twoTime);
    peakRatios.push_back(twoPeak / onePeak);
    shares.push_back(flops / twoTime / twoPeak);
  }
  std::printf("%-28s %8.2f ms on one core %8.2f on two: %.2f x (FMA peak %.2f x), %4.1f %% of two cores' peak\n", name,
              median(alone) * 1e3, median(together) * 1e3, median(ratios), median(peakRatios), median(shares) * 100);
  std::fflush(stdout);
}

/// The arena of one call, as large as it asks for.
struct Arena {
  explicit Arena(int64_t bytes) : bytes(bytes), data(static_cast<char *>(attn_memory_allocate(size_t(bytes)))) {}
  ~Arena() { attn_memory_free(data, size_t(bytes)); }
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  int64_t bytes;
  char *data;
};

void reportProduct(attn_weights *weights, const Workers &one, const Workers &two) {
  constexpr int64_t rows = 1024, inputs = 768, outputs = 3072;
  Arena arena(scaling_product_arena_bytes(rows, 2));
  float *x = randomFloats(rows * inputs, 1, 1), *y = randomFloats(rows * outputs, 1, 2);
  report("product 1024x768x3072", 2.0 * rows * inputs * outputs, one, two, [&](const Workers &workers) {
    attn_context context = {weights, workers.executor(), arena.data, arena.bytes};
    attn_status status;
    must(scaling_product(&context, rows, x, y, &status), status);
  });
}

void reportAttention(attn_weights *weights, const Workers &one, const Workers &two) {
  constexpr int64_t heads = 8, n = 2048, dim = 64;
  Arena arena(std::max(scaling_unmasked_arena_bytes(n, 2), scaling_causal_arena_bytes(n, 2)));
  float *q = randomFloats(heads * n * dim, 1, 1), *k = randomFloats(heads * n * dim, 1, 2),
        *v = randomFloats(heads * n * dim, 1, 3), *y = randomFloats(heads * n * dim, 1, 4);
  auto measureEntry = [&](const char *name, double pairs, auto entry) {
    report(name, 4.0 * heads * pairs * dim, one, two, [&](const Workers &workers) {
      attn_context context = {weights, workers.executor(), arena.data, arena.bytes};
      attn_status status;
      must(entry(&context, n, q, k, v, y, &status), status);
    });
  };
  measureEntry("attend 8x2048x64", double(n) * n, scaling_unmasked);
  measureEntry("attend causal 8x2048x64", double(n) * (n + 1) / 2, scaling_causal);
}

const attn_entry_info &entryOf(const char *name) {
  return scaling_model.entries[attn_find_entry(&scaling_model, name)];
}

void reportMemory(const char *name, attn_arena_bytes_fn bytesOf) {
  int64_t few = 1024, many = 65536, little = bytesOf(&few, 2), much = bytesOf(&many, 2);
  std::printf("%-14s beyond inputs and outputs: %.3f MB at %lld keys, %.3f MB at %lld: adds %.3f MB\n", name,
              1e-6 * double(little), (long long)few, 1e-6 * double(much), (long long)many,
              1e-6 * double(much - little));
}

} // namespace

int main() {
  Workers one(1), two(2);
  attn_weights *weights = nullptr;
  attn_status status;
  must(attn_weights_initialise(&scaling_model, 0, two.executor(), &weights, &status), status);
  reportProduct(weights, one, two);
  reportAttention(weights, one, two);
  reportMemory("attend", entryOf("unmasked").arena_bytes);
  reportMemory("attend causal", entryOf("causal").arena_bytes);
  attn_weights_free(weights);
}
