// A step of attention with paged caches against the same step with contiguous caches, on one core and on all:
//
//   pages-benchmark [KEYS]...     default 512 4096: the times of both, and the median of the ratios of adjacent calls
//
// Four rows, 32 heads of 64 features, 8 heads of keys and values in f32 and in bf16. The blocks of a row have 16
// positions and are in random order. Both calls read the same memory, from which they start with cold caches.
#include "pages.h"
#include "benchmarks/support/Machine.h"
#include "benchmarks/support/Model.h"
#include "pages_bf16.h"
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

using namespace attnc::bench;

namespace {

constexpr int64_t batch = 4, heads = 32, kvHeads = 8, headDim = 64, block = 16;
constexpr int repetitions = 41;
constexpr size_t sweptFloats = size_t(16) << 20; // more than the caches

/// The blocks of each row, all blocks in random order.
std::vector<int32_t> shuffledTable(int64_t rowBlocks) {
  std::vector<int32_t> table(size_t(batch * rowBlocks));
  std::iota(table.begin(), table.end(), 0);
  std::shuffle(table.begin(), table.end(), std::mt19937(1));
  return table;
}

/// `Element` is the type of the states in the generated headers.
template <typename Element, typename Contiguous, typename Paged>
void report(const char *type, const Weights &weights, const attn_executor *executor, int64_t keys, int64_t arenaBytes,
            const float *swept, Contiguous contiguous, Paged paged) {
  Context context(weights, executor, arenaBytes);
  size_t elements = size_t(batch * kvHeads * keys * headDim);
  std::vector<Element *> states;
  for (unsigned seed = 1; seed <= 2; ++seed)
    states.push_back(reinterpret_cast<Element *>(randomFloats(elements, 1, seed)));
  if (sizeof(Element) == 2) // random floats are no random bf16
    for (Element *state : states)
      for (size_t i = 0; i < elements; ++i)
        state[i] = Element(0x3f00 + i % 128);
  float *q = randomFloats(batch * heads * headDim, 1, 3), *kv = randomFloats(batch * kvHeads * headDim, 1, 4);
  std::vector<float> result(batch * heads * headDim);
  std::vector<int32_t> length(batch, int32_t(keys - 1)), table = shuffledTable(keys / block);
  attn_status status;
  auto timeOf = [&](auto call) {
    readBandwidthOf(executor, swept, sweptFloats * sizeof *swept);
    double from = wallSeconds();
    must(call(), status);
    return wallSeconds() - from;
  };
  std::vector<double> before, after, ratios;
  for (int i = -2; i < repetitions; ++i) {
    double first = timeOf([&] {
      return contiguous(context.get(), batch, keys, q, kv, kv, length.data(), states[0], states[1], result.data(),
                        &status);
    });
    double second = timeOf([&] {
      return paged(context.get(), batch, keys / block, batch * keys / block, q, kv, kv, length.data(), table.data(),
                   states[0], states[1], result.data(), &status);
    });
    if (i < 0) // warms up
      continue;
    before.push_back(first);
    after.push_back(second);
    ratios.push_back(second / first);
  }
  std::printf("%s, %lld threads, %5lld keys: contiguous %7.3f ms, paged %7.3f ms, ratio %.3f\n", type,
              (long long)executor->workers, (long long)keys, 1e3 * median(before), 1e3 * median(after), median(ratios));
  std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments) {
  Workers workers;
  Weights weights(pages_model, workers), narrow(pages_bf16_model, workers);
  const float *swept = randomFloats(sweptFloats, 1, 5);
  for (int64_t keys : numbersOf(count, arguments, {512, 4096}))
    for (const attn_executor *executor : {attn_serial_executor(), workers.executor()}) {
      int64_t blocks = keys / block, all = batch * blocks, threads = executor->workers;
      report<float>("f32 ", weights, executor, keys,
                    std::max(pages_contiguous_arena_bytes(batch, keys, threads),
                             pages_paged_arena_bytes(batch, blocks, all, threads)),
                    swept, pages_contiguous, pages_paged);
      report<uint16_t>("bf16", narrow, executor, keys,
                       std::max(pages_bf16_contiguous_arena_bytes(batch, keys, threads),
                                pages_bf16_paged_arena_bytes(batch, blocks, all, threads)),
                       swept, pages_bf16_contiguous, pages_bf16_paged);
    }
}
