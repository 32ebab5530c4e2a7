#include "benchmarks/support/Model.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

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

static int64_t product(const int64_t *sizes, int32_t rank) {
  int64_t result = 1;
  for (int32_t i = 0; i < rank; ++i)
    result *= sizes[i];
  return result;
}

int64_t bytesOfWeights(const attn_model &model) {
  int64_t bytes = 0;
  for (int64_t number = 0; number < model.packed_count; ++number)
    bytes += model.packed[number].bytes;
  for (int64_t p = 0; p < model.parameter_count; ++p) {
    const attn_parameter_info &parameter = model.parameters[p];
    if (!parameter.unread)
      bytes += product(parameter.counts, parameter.list_rank) * product(parameter.shape, parameter.rank) *
               attn_element_bytes(parameter.dtype);
  }
  return bytes;
}

/// The number of the entry point `name`, which takes `dimensionCount` sizes.
static int64_t numberOf(const attn_model &model, const char *name, size_t dimensionCount) {
  int64_t number = attn_find_entry(&model, name);
  if (number >= 0 && size_t(model.entries[number].dimension_count) == dimensionCount)
    return number;
  std::fprintf(stderr, "no entry point '%s' with %zu dimensions\n", name, dimensionCount);
  std::exit(1);
}

Call::Call(const attn_model &model, attn_weights *weights, const attn_executor *executor, const char *name,
           const std::vector<int64_t> &dimensions)
    : model(model), number(numberOf(model, name, dimensions.size())) {
  const attn_entry_info &entry = model.entries[number];
  for (int32_t t = 0; t < entry.input_count + entry.result_count; ++t) {
    attn_tensor tensor = {nullptr, {}, entry.tensors[t].dtype, entry.tensors[t].rank};
    for (int32_t d = 0; d < tensor.rank; ++d)
      tensor.shape[d] = attn_size(&entry.tensors[t].shape[d], dimensions.data());
    storage.emplace_back(product(tensor.shape, tensor.rank) * attn_element_bytes(tensor.dtype) + 1);
    tensor.data = storage.back().data();
    tensors.push_back(tensor);
  }
  int64_t bytes = entry.arena_bytes(dimensions.data(), executor->workers);
  context = {weights, executor, attn_memory_allocate(size_t(bytes)), bytes};
}

Call::~Call() { attn_memory_free(context.arena, size_t(context.arena_bytes)); }

void Call::run() {
  attn_status status;
  must(attn_run(&model, number, &context, tensors.data(), int64_t(tensors.size()), &status), status);
}

void *Call::find(const char *name) {
  for (size_t t = 0; t < tensors.size(); ++t)
    if (std::strcmp(model.entries[number].tensors[t].name, name) == 0)
      return tensors[t].data;
  std::fprintf(stderr, "no tensor '%s'\n", name);
  std::exit(1);
}

std::vector<int64_t> numbersOf(int count, char **arguments, std::vector<int64_t> otherwise) {
  if (count < 2)
    return otherwise;
  std::vector<int64_t> numbers;
  for (int i = 1; i < count; ++i)
    numbers.push_back(std::atoll(arguments[i]));
  return numbers;
}

} // namespace attnc::bench
