#include "benchmarks/support/Model.h"
#include <cstdio>
#include <cstdlib>

namespace attnc::bench {

void must(attn_code code, const attn_status &status) {
  if (code == ATTN_OK)
    return;
  std::fprintf(stderr, "%s\n", status.message);
  std::exit(1);
}

Workers::Workers(int64_t count) {
  attn_status status;
  must(attn_pool_create(count, &pool, &status), status);
}

Workers::~Workers() { attn_pool_destroy(pool); }

const attn_executor *Workers::executor() const { return attn_pool_executor(pool); }

Weights::Weights(const attn_model &model, const Workers &workers) {
  attn_status status;
  must(attn_weights_initialise(&model, 0, workers.executor(), &weights, &status), status);
}

Weights::~Weights() { attn_weights_free(weights); }

Context::Context(const Weights &weights, const attn_executor *executor, int64_t bytes)
    : Context(weights.get(), executor, bytes) {}

Context::Context(attn_weights *weights, const attn_executor *executor, int64_t bytes)
    : context{weights, executor, attn_memory_allocate(size_t(bytes)), bytes} {
  if (context.arena)
    return;
  std::fprintf(stderr, "no memory for an arena of %lld bytes\n", (long long)bytes);
  std::exit(1);
}

Context::~Context() { attn_memory_free(context.arena, size_t(context.arena_bytes)); }

std::vector<int64_t> numbersOf(int count, char **arguments, std::vector<int64_t> otherwise) {
  if (count < 2)
    return otherwise;
  std::vector<int64_t> numbers;
  for (int i = 1; i < count; ++i)
    numbers.push_back(std::atoll(arguments[i]));
  return numbers;
}

} // namespace attnc::bench
