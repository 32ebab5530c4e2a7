// Text by the shape of Llama-3.2-1B with random weights, on all cores: tokens of a prompt, and one token at a time.
//
//   llama-benchmark f32|bf16 [TOKENS]...     default 512 tokens: time of a prompt, with its rate as a fraction of the
//                                            FMA peak of the cores, and time of the token that follows it, with its
//                                            bandwidth as a fraction of that at which the cores read; both peaks are
//                                            measured in the same run
//
// Operations: two for each element of each weight and position, those of the logits of the last position, and those of
// pairs j <= i of attention. Bytes: each weight once (one row of the token table), and the keys and values of the
// positions.
#include "benchmarks/support/Machine.h"
#include "benchmarks/support/Model.h"
#include "llama_bf16.h"
#include "llama_f32.h"
#include <cstdio>
#include <string>
#include <vector>

using namespace attnc::bench;

namespace {

constexpr int64_t layers = 16, dim = 2048, hidden = 8192, heads = 32, keyHeads = 8, headDim = 64, vocab = 128256;
constexpr int64_t weightsOfLayer = (2 * heads + 2 * keyHeads) * headDim * dim + 3 * dim * hidden;
constexpr size_t referenceFloats = size_t(128) << 20;

double operationsOf(int64_t tokens) {
  double pairs = 0.5 * double(tokens) * double(tokens + 1);
  return double(layers) * (2 * double(weightsOfLayer * tokens) + 4 * pairs * double(heads * headDim)) +
         2 * double(dim * vocab);
}

double bytesOf(int64_t positions, int64_t elementBytes) {
  return double(elementBytes * (layers * (weightsOfLayer + 2 * positions * keyHeads * headDim) + dim * vocab));
}

void setTokens(int32_t *tokens, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    tokens[i] = int32_t(i * 7919 % vocab);
}

void report(const std::string &name, const attn_model &model, const Weights &weights, const Workers &workers,
            const float *reference, int64_t tokens) {
  const attn_executor *executor = workers.executor();
  int64_t capacity = tokens + 512, elementBytes = name == "bf16" ? 2 : 4;
  Call prefill(model, weights.get(), executor, "next_prefill", {1, tokens, capacity});
  setTokens(prefill.tensor<int32_t>("tokens"), tokens);
  print(name + " prompt of " + std::to_string(tokens),
        measure(
            operationsOf(tokens), 5, [&] { prefill.run(); }, [&] { return fmaPeakOf(executor); }, Clock::Wall),
        "flop");
  Call next(model, weights.get(), executor, "next", {1, capacity});
  setTokens(next.tensor<int32_t>("tokens"), 1);
  *next.tensor<int32_t>("length") = int32_t(tokens);
  print(name + " token after " + std::to_string(tokens),
        measure(
            bytesOf(tokens + 1, elementBytes), 15, [&] { next.run(); },
            [&] { return readBandwidthOf(executor, reference, referenceFloats * 4); }, Clock::Wall),
        "byte");
  std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments) {
  std::string name = count > 1 ? arguments[1] : "";
  if (name != "f32" && name != "bf16") {
    std::fprintf(stderr, "llama-benchmark: expected f32 or bf16, and numbers of tokens\n");
    return 1;
  }
  const attn_model &model = name == "bf16" ? llama_bf16_model : llama_f32_model;
  Workers workers;
  Weights weights(model, workers);
  const float *reference = randomFloats(referenceFloats, 1, 3);
  for (int64_t tokens : numbersOf(count - 1, arguments + 1, {512}))
    report(name, model, weights, workers, reference, tokens);
}
