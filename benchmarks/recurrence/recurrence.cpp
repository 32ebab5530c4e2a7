// Recurrent networks of 512 features in and out, forward and a step of training, on all cores:
//
//   scan-benchmark [BATCH SEQ]...     32 64 unless said: time of a call and of a step of the recurrence, and share of
//                                     the cores' FMA peak that is measured beside it
//
// Useful operations: 2 for each weight, row and step forward, 6 in training; those of activations are not counted.
#include "recurrence.h"
#include "attn/attn.h"
#include "benchmarks/support/Machine.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

using namespace attnc::bench;

namespace {

constexpr int64_t dim = 512;
constexpr int repetitions = 9;

void must(attn_code code, const attn_status &status) {
  if (code == ATTN_OK)
    return;
  std::fprintf(stderr, "%s\n", status.message);
  std::exit(1);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// An entry point of the model, with the operations for each weight, row and step.
struct Entry {
  const char *name;
  int64_t gates;
  double operations;
  std::function<int64_t(int64_t batch, int64_t seq, int64_t workers)> arenaBytes;
  std::function<attn_code(const attn_context *, int64_t batch, int64_t seq, const float *x, float *y, attn_status *)>
      call;
};

const Entry entries[] = {
    {"LSTM", 4, 2, recurrence_lstm_arena_bytes, recurrence_lstm},
    {"GRU", 3, 2, recurrence_gru_arena_bytes, recurrence_gru},
    {"LSTM, training", 4, 6, recurrence_train_lstm_arena_bytes, recurrence_train_lstm},
    {"GRU, training", 3, 6, recurrence_train_gru_arena_bytes, recurrence_train_gru},
};

void report(const Entry &entry, attn_weights *weights, const attn_executor *executor, int64_t batch, int64_t seq) {
  int64_t bytes = entry.arenaBytes(batch, seq, executor->workers);
  attn_context context = {weights, executor, attn_memory_allocate(size_t(bytes)), bytes};
  if (!context.arena) {
    std::fprintf(stderr, "no memory for an arena of %lld bytes\n", (long long)bytes);
    std::exit(1);
  }
  float *x = randomFloats(size_t(batch * seq * dim), 1, 1);
  std::vector<float> y(size_t(batch * seq * dim));
  double operations = entry.operations * double(entry.gates * 2 * dim * dim) * double(batch * seq);
  std::vector<double> times, shares;
  for (int i = -2; i < repetitions; ++i) {
    attn_status status;
    double peak = fmaPeakOf(executor), from = now();
    must(entry.call(&context, batch, seq, x, y.data(), &status), status);
    double took = now() - from;
    peak = 0.5 * (peak + fmaPeakOf(executor));
    if (i < 0) // warms up
      continue;
    times.push_back(took);
    shares.push_back(operations / took / peak);
  }
  std::printf("%-15s %lld rows, %lld steps: %8.2f ms, %6.1f us a step, %4.1f %% of the FMA peak of %lld cores; arena "
              "%.0f MB\n",
              entry.name, (long long)batch, (long long)seq, 1e3 * median(times), 1e6 * median(times) / double(seq),
              100 * median(shares), (long long)executor->workers, 1e-6 * double(bytes));
  std::fflush(stdout);
  attn_memory_free(context.arena, size_t(bytes));
}

} // namespace

int main(int count, char **arguments) {
  attn_status status;
  attn_pool *pool;
  attn_weights *weights;
  must(attn_pool_create(0, &pool, &status), status);
  must(attn_weights_initialise(&recurrence_model, 0, attn_pool_executor(pool), &weights, &status), status);
  std::vector<int64_t> sizes = {32, 64};
  if (count > 2)
    sizes.clear();
  for (int i = 1; i + 1 < count; i += 2)
    sizes.insert(sizes.end(), {std::atoll(arguments[i]), std::atoll(arguments[i + 1])});
  for (size_t i = 0; i + 1 < sizes.size(); i += 2)
    for (const Entry &entry : entries)
      report(entry, weights, attn_pool_executor(pool), sizes[i], sizes[i + 1]);
  attn_weights_free(weights);
  attn_pool_destroy(pool);
}
