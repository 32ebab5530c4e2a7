// A step of training of GPT-2's shape (124M, AdamW, clipped) on all cores:
//
//   training-benchmark [BATCH SEQ]...     training-budget-benchmark: with a memory budget
//                                         4 64 4 1024 unless said: time of a step, share of the cores' FMA peak that is
//                                         measured beside it, bytes of the arena with and without the gradients
//
// Useful operations: 6 for each weight of a product and each token, 12 for each kept pair of positions, head and
// feature (a forward of 4, and 8 backward).
#include "attn/attn.h"
#include "benchmarks/support/Machine.h"
#include "gpt2.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace attnc::bench;

namespace {

void must(attn_code code, const attn_status &status) {
  if (code == ATTN_OK)
    return;
  std::fprintf(stderr, "%s\n", status.message);
  std::exit(1);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double parameterBytes(bool states) {
  double bytes = 0;
  for (int64_t p = 0; p < gpt2_model.parameter_count; ++p) {
    const attn_parameter_info &info = gpt2_model.parameters[p];
    double size = 4;
    for (int32_t d = 0; d < info.rank; ++d)
      size *= double(info.shape[d]);
    for (int32_t d = 0; d < info.list_rank; ++d)
      size *= double(info.counts[d]);
    bytes += (info.state != 0) == states ? size : 0;
  }
  return bytes;
}

double operations(double batch, double seq) {
  constexpr double layers = 12, dim = 768, vocab = 50257;
  double tokens = batch * seq;
  return 6 * tokens * (layers * 12 * dim * dim + dim * vocab) + 12 * layers * dim * batch * seq * (seq + 1) / 2;
}

void report(attn_weights *weights, const attn_executor *executor, int64_t batch, int64_t seq) {
  int64_t bytes = gpt2_train_arena_bytes(batch, seq, executor->workers);
  attn_context context = {weights, executor, attn_memory_allocate(size_t(bytes)), bytes};
  if (!context.arena) {
    std::fprintf(stderr, "no memory for an arena of %lld bytes\n", (long long)bytes);
    std::exit(1);
  }
  std::vector<int32_t> tokens(batch * seq + 1);
  for (size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = int32_t(attn_random_uniform(1, 0, i) * 50257);
  std::vector<double> times, shares;
  int repetitions = batch * seq > 1024 ? 3 : 7;
  for (int i = -1; i < repetitions; ++i) {
    float loss;
    attn_status status;
    double peak = fmaPeakOf(executor), from = now();
    must(gpt2_train(&context, batch, seq, tokens.data(), tokens.data() + 1, &loss, &status), status);
    double took = now() - from;
    peak = 0.5 * (peak + fmaPeakOf(executor));
    if (i < 0) // warms up
      continue;
    times.push_back(took);
    shares.push_back(operations(double(batch), double(seq)) / took / peak);
  }
  std::printf(
      "step of %lld x %lld tokens: %8.1f ms, %5.1f tokens/s, %4.1f %% of the FMA peak of %lld cores; arena %.0f MB, "
      "%.0f MB beside the gradients\n",
      (long long)batch, (long long)seq, 1e3 * median(times), double(batch * seq) / median(times), 100 * median(shares),
      (long long)executor->workers, 1e-6 * double(bytes), 1e-6 * (double(bytes) - parameterBytes(false)));
  std::fflush(stdout);
  attn_memory_free(context.arena, size_t(bytes));
}

} // namespace

int main(int count, char **arguments) {
  attn_status status;
  attn_pool *pool;
  attn_weights *weights;
  must(attn_pool_create(0, &pool, &status), status);
  const attn_executor *executor = attn_pool_executor(pool);
  must(attn_weights_initialise(&gpt2_model, 0, executor, &weights, &status), status);
  std::printf("parameters %.0f MB, moments %.0f MB\n", 1e-6 * parameterBytes(false), 1e-6 * parameterBytes(true));
  std::vector<int64_t> sizes = {4, 64, 4, 1024};
  if (count > 2)
    sizes.clear();
  for (int i = 1; i + 1 < count; i += 2)
    sizes.insert(sizes.end(), {std::atoll(arguments[i]), std::atoll(arguments[i + 1])});
  for (size_t i = 0; i + 1 < sizes.size(); i += 2)
    report(weights, executor, sizes[i], sizes[i + 1]);
  attn_weights_free(weights);
  attn_pool_destroy(pool);
}
