// Benchmark of recurrent networks with 512 inputs and outputs, inference and training step, on all cores:
//
//   scan-benchmark [BATCH SEQ]...     default 32 64: time of a call and of a time step, and the fraction of the cores'
//                                     FMA peak, measured in the same run
//
// Useful operations: 2 for each weight, row and time step forward, 6 in training, without those of activations.
#include "recurrence.h"
#include "benchmarks/support/Machine.h"
#include "benchmarks/support/Model.h"
#include <cstdio>
#include <functional>
#include <vector>

using namespace attnc::bench;

namespace {

constexpr int64_t dim = 512;
constexpr int repetitions = 9;

/// An entry point of the model, with its operations for each weight, row and time step.
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

void report(const Entry &entry, const Weights &weights, const attn_executor *executor, int64_t batch, int64_t seq) {
  int64_t bytes = entry.arenaBytes(batch, seq, executor->workers);
  Context context(weights, executor, bytes);
  float *x = randomFloats(size_t(batch * seq * dim), 1, 1);
  std::vector<float> y(size_t(batch * seq * dim));
  auto call = [&] {
    attn_status status;
    must(entry.call(context.get(), batch, seq, x, y.data(), &status), status);
  };
  Measurement found = measure(
      entry.operations * double(entry.gates * 2 * dim * dim) * double(batch * seq), repetitions, call,
      [&] { return fmaPeakOf(executor); }, Clock::Wall);
  std::printf("%-15s %lld rows, %lld steps: %8.2f ms, %6.1f us a step, %4.1f %% of the FMA peak of %lld cores; arena "
              "%.0f MB\n",
              entry.name, (long long)batch, (long long)seq, 1e3 * found.seconds, 1e6 * found.seconds / double(seq),
              100 * found.share, (long long)executor->workers, 1e-6 * double(bytes));
  std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments) {
  Workers workers;
  Weights weights(recurrence_model, workers);
  std::vector<int64_t> sizes = numbersOf(count, arguments, {32, 64});
  for (size_t i = 0; i + 1 < sizes.size(); i += 2)
    for (const Entry &entry : entries)
      report(entry, weights, workers.executor(), sizes[i], sizes[i + 1]);
}
