// Benchmark of recurrent networks with 512 inputs and outputs, inference and training step, on all cores:
//
//   scan-benchmark [BATCH SEQ]...     default 32 64: time of a call and of a time step, and the fraction of the cores'
//                                     FMA peak, measured in the same run; then SEQ calls of the incremental entry
//                                     point, and the time of a call in time steps of the scan
//
// Useful operations: 2 for each weight, row and time step forward, 6 in training, without those of activations.
#include "recurrence.h"
#include "benchmarks/support/Machine.h"
#include "benchmarks/support/Model.h"
#include <array>
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

/// An incremental entry point, which computes one time step of each row from at most two states.
struct Step {
  const Entry &whole;
  std::function<int64_t(int64_t batch, int64_t workers)> arenaBytes;
  std::function<attn_code(const attn_context *, int64_t batch, const float *x, const int32_t *length,
                          std::array<float *, 2> states, float *y, attn_status *)>
      call;
};

const Step steps[] = {
    {entries[0], recurrence_lstm_next_arena_bytes,
     [](const attn_context *context, int64_t batch, const float *x, const int32_t *length,
        std::array<float *, 2> states, float *y, attn_status *status) {
       return recurrence_lstm_next(context, batch, x, length, states[0], states[1], y, status);
     }},
    {entries[1], recurrence_gru_next_arena_bytes,
     [](const attn_context *context, int64_t batch, const float *x, const int32_t *length,
        std::array<float *, 2> states, float *y,
        attn_status *status) { return recurrence_gru_next(context, batch, x, length, states[0], y, status); }},
};

Measurement report(const Entry &entry, const Weights &weights, const attn_executor *executor, int64_t batch,
                   int64_t seq) {
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
  return found;
}

/// `whole` is the measurement of the scan with the same sizes.
void report(const Step &step, const Measurement &whole, const Weights &weights, const attn_executor *executor,
            int64_t batch, int64_t seq) {
  const Entry &entry = step.whole;
  Context context(weights, executor, step.arenaBytes(batch, executor->workers));
  float *x = randomFloats(size_t(batch * dim), 1, 1);
  std::vector<float> y(size_t(batch * dim));
  std::array<float *, 2> states = {randomFloats(size_t(batch * 2 * dim), 1, 2),
                                   randomFloats(size_t(batch * 2 * dim), 1, 3)};
  auto call = [&] {
    std::vector<int32_t> length(static_cast<size_t>(batch));
    for (int64_t position = 0; position < seq; ++position) {
      attn_status status;
      must(step.call(context.get(), batch, x, length.data(), states, y.data(), &status), status);
      for (int32_t &each : length)
        ++each;
    }
  };
  Measurement found = measure(
      entry.operations * double(entry.gates * 2 * dim * dim) * double(batch * seq), repetitions, call,
      [&] { return fmaPeakOf(executor); }, Clock::Wall);
  std::printf("%-15s %lld rows, a position a call: %6.1f us a call, %.2f of a time step of the scan\n", entry.name,
              (long long)batch, 1e6 * found.seconds / double(seq), whole.share / found.share);
  std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments) {
  Workers workers;
  Weights weights(recurrence_model, workers);
  std::vector<int64_t> sizes = numbersOf(count, arguments, {32, 64});
  for (size_t i = 0; i + 1 < sizes.size(); i += 2)
    for (const Entry &entry : entries) {
      Measurement whole = report(entry, weights, workers.executor(), sizes[i], sizes[i + 1]);
      for (const Step &step : steps)
        if (&step.whole == &entry)
          report(step, whole, weights, workers.executor(), sizes[i], sizes[i + 1]);
    }
}
