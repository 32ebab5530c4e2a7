// Benchmark of a training step of GPT-2's shape (124M, AdamW, gradient clipping) on all cores:
//
//   training-benchmark [BATCH SEQ]...     training-budget-benchmark: with a memory budget
//                                         default 4 64 4 1024: time of a training step; fraction of the cores' FMA
//                                         peak of the same run; arena bytes with and without the gradients
//
// Useful operations: 6 for each weight of a product and each token, 12 for each unmasked pair of positions, head and
// feature (4 forward, 8 backward).
#include "benchmarks/support/Machine.h"
#include "benchmarks/support/Model.h"
#include "gpt2.h"
#include <cstdio>
#include <vector>

using namespace attnc::bench;

namespace {

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

void report(const Weights &weights, const attn_executor *executor, int64_t batch, int64_t seq) {
  int64_t bytes = gpt2_train_arena_bytes(batch, seq, executor->workers);
  Context context(weights, executor, bytes);
  std::vector<int32_t> tokens(batch * seq + 1);
  for (size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = int32_t(attn_random_uniform(1, 0, i) * 50257);
  auto step = [&] {
    float loss;
    attn_status status;
    must(gpt2_train(context.get(), batch, seq, tokens.data(), tokens.data() + 1, &loss, &status), status);
  };
  Measurement found = measure(
      operations(double(batch), double(seq)), batch * seq > 1024 ? 3 : 7, step, [&] { return fmaPeakOf(executor); },
      Clock::Wall);
  std::printf(
      "step of %lld x %lld tokens: %8.1f ms, %5.1f tokens/s, %4.1f %% of the FMA peak of %lld cores; arena %.0f MB, "
      "%.0f MB beside the gradients\n",
      (long long)batch, (long long)seq, 1e3 * found.seconds, double(batch * seq) / found.seconds, 100 * found.share,
      (long long)executor->workers, 1e-6 * double(bytes), 1e-6 * (double(bytes) - parameterBytes(false)));
  std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments) {
  Workers workers;
  Weights weights(gpt2_model, workers);
  std::printf("parameters %.0f MB, moments %.0f MB\n", 1e-6 * parameterBytes(false), 1e-6 * parameterBytes(true));
  std::vector<int64_t> sizes = numbersOf(count, arguments, {4, 64, 4, 1024});
  for (size_t i = 0; i + 1 < sizes.size(); i += 2)
    report(weights, workers.executor(), sizes[i], sizes[i + 1]);
}
