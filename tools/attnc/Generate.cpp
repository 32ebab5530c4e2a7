// attnc generate: writes what a model says next, one token after the other, by entry points made by `incremental`.
#include "attn/attn.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/SourceOptions.h"
#include "tools/attnc/TensorFile.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

using namespace llvm;

namespace attnc {

namespace {

struct GenerateOptions {
  SourceOptions source;
  std::string entry, weights, prompt;
  int64_t count = 200, top = 0, stop = -1, threads = 0;
  double temperature = 1, mass = 1;
  uint64_t seed = 0;
};

/// A sequence that grows: the model's states, and the logits behind its last token.
class Sequence {
public:
  Sequence(const GenerateOptions &options, const attn_model &model) : options(options), model(model) {}
  ~Sequence() {
    attn_memory_free(context.arena, size_t(context.arena_bytes));
    attn_weights_free(context.weights);
    attn_pool_destroy(pool);
  }
  Error begin(int64_t capacity);
  /// Takes in tokens; the logits are those behind the last of them.
  Error take(std::vector<int32_t> tokens);
  ArrayRef<float> logits() const { return ArrayRef(result.floats() + result.count() - vocabulary, vocabulary); }

private:
  Error findEntries();
  Error makeContext();
  Expected<std::vector<int64_t>> dimensionsOf(const attn_entry_info &entry, int64_t count) const;
  Error call(int64_t number, std::vector<int32_t> &tokens);

  const GenerateOptions &options;
  const attn_model &model;
  int64_t stepNumber = -1, prefillNumber = -1, capacity = 0, vocabulary = 0;
  int32_t length = 0;
  std::vector<HostTensor> states;
  HostTensor result;
  attn_pool *pool = nullptr;
  attn_context context = {};
};

} // namespace

static std::vector<int64_t> shapeOf(const attn_tensor_info &info, ArrayRef<int64_t> dimensions) {
  std::vector<int64_t> shape;
  for (int32_t d = 0; d < info.rank; ++d)
    shape.push_back(attn_size(&info.shape[d], dimensions.data()));
  return shape;
}

Error Sequence::findEntries() {
  for (int64_t number = 0; number < model.entry_count; ++number) {
    StringRef name = model.entries[number].name;
    int64_t prefill = attn_find_entry(&model, (name + "_prefill").str().c_str());
    if (prefill < 0 || (!options.entry.empty() && name != options.entry))
      continue;
    if (stepNumber >= 0)
      return createStringError(
          formatv("say which entry point, by --entry: {0}, {1}", model.entries[stepNumber].name, name));
    stepNumber = number;
    prefillNumber = prefill;
  }
  if (stepNumber < 0)
    return createStringError("the model has no such entry point made by `incremental`; write `export next = "
                             "incremental(logits, along: seq)`");
  const attn_entry_info &step = model.entries[stepNumber];
  const attn_entry_info &prefill = model.entries[prefillNumber];
  if (prefill.input_count - prefill.state_count > (prefill.take_back ? 3 : 2) ||
      step.input_count - step.state_count != 2 || step.result_count != 1 ||
      step.tensors[step.input_count].dtype != ATTN_F32)
    return createStringError(formatv("'{0}' does not take tokens alone and give one logit for each token", step.name));
  return Error::success();
}

/// One row; `seq` is what the call has, `capacity` what the states have.
Expected<std::vector<int64_t>> Sequence::dimensionsOf(const attn_entry_info &entry, int64_t count) const {
  std::vector<int64_t> dimensions;
  for (const attn_dimension_info &dimension : ArrayRef(entry.dimensions, entry.dimension_count)) {
    StringRef name = dimension.name;
    dimensions.push_back(name == "batch" ? 1 : name == "capacity" ? capacity : count);
    if (name == "capacity" && dimension.max >= 0 && capacity > dimension.max)
      return createStringError(formatv(
          "the prompt and what is to follow are {0} tokens, and the model has room for {1}", capacity, dimension.max));
  }
  return dimensions;
}

Error Sequence::makeContext() {
  attn_status status;
  if (Error error = toError(attn_pool_create(options.threads, &pool, &status), status))
    return error;
  context.executor = attn_pool_executor(pool);
  bool embedded = model.parameter_count > 0 && model.parameters[0].embedded;
  attn_code code =
      !options.weights.empty()
          ? attn_weights_load(&model, options.weights.c_str(), 0, context.executor, &context.weights, &status)
      : embedded ? attn_weights_embedded(&model, context.executor, &context.weights, &status)
                 : attn_weights_initialise(&model, options.seed, context.executor, &context.weights, &status);
  return toError(code, status);
}

Error Sequence::begin(int64_t wanted) {
  capacity = wanted;
  if (Error error = findEntries())
    return error;
  const attn_entry_info &step = model.entries[stepNumber];
  auto dimensions = dimensionsOf(step, 1);
  if (!dimensions)
    return dimensions.takeError();
  for (int32_t i = step.input_count - step.state_count; i < step.input_count; ++i) {
    const attn_tensor_info &info = step.tensors[i];
    auto made = HostTensor::create(info.name, static_cast<attn_dtype>(info.dtype), shapeOf(info, *dimensions));
    if (!made)
      return made.takeError();
    states.push_back(std::move(*made));
  }
  vocabulary = shapeOf(step.tensors[step.input_count], *dimensions).back();
  return makeContext();
}

Error Sequence::call(int64_t number, std::vector<int32_t> &tokens) {
  const attn_entry_info &entry = model.entries[number];
  auto dimensions = dimensionsOf(entry, int64_t(tokens.size()));
  if (!dimensions)
    return dimensions.takeError();
  result = HostTensor(ATTN_F32, shapeOf(entry.tensors[entry.input_count], *dimensions));
  std::vector<attn_tensor> tensors(2);
  tensors[0] = {tokens.data(), {1, int64_t(tokens.size())}, ATTN_I32, entry.tensors[0].rank};
  tensors[1] = {&length, {1}, ATTN_I32, entry.tensors[1].rank};
  int32_t count = int32_t(tokens.size()); // entry points with rings want to know
  if (entry.input_count - entry.state_count > 2)
    tensors.push_back({&count, {1}, ATTN_I32, entry.tensors[2].rank});
  if (entry.tensors[0].rank == 1) // a model without rows
    tensors[0].shape[0] = int64_t(tokens.size());
  for (HostTensor &state : states)
    tensors.push_back(state.view());
  tensors.push_back(result.view());
  int64_t bytes = entry.arena_bytes(dimensions->data(), context.executor->workers);
  if (bytes > context.arena_bytes) {
    attn_memory_free(context.arena, size_t(context.arena_bytes));
    context.arena = attn_memory_allocate(size_t(bytes));
    context.arena_bytes = context.arena ? bytes : 0;
  }
  attn_status status;
  return toError(attn_run(&model, number, &context, tensors.data(), int64_t(tensors.size()), &status), status);
}

Error Sequence::take(std::vector<int32_t> tokens) {
  if (Error error = call(tokens.size() == 1 ? stepNumber : prefillNumber, tokens))
    return error;
  length += int32_t(tokens.size());
  return Error::success();
}

/// The likeliest token where the temperature is 0; else draw number `draw` among the likeliest `top`, as many as reach
/// the probability `mass` together (Holtzman et al. 2020).
static int32_t choose(const GenerateOptions &options, ArrayRef<float> logits, int64_t draw) {
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return logits[a] > logits[b]; });
  if (options.temperature == 0)
    return order.front();
  size_t count = options.top > 0 ? std::min<size_t>(options.top, order.size()) : order.size();
  std::vector<double> weights(count);
  double sum = 0, reached = 0;
  for (size_t i = 0; i < count; ++i)
    sum += weights[i] = std::exp((double(logits[order[i]]) - logits[order[0]]) / options.temperature);
  size_t kept = 0;
  while (kept < count && reached < options.mass * sum)
    reached += weights[kept++];
  double left = attn_random_uniform(options.seed, 0, uint64_t(draw)) * reached;
  size_t chosen = 0;
  while (chosen + 1 < kept && (left -= weights[chosen]) > 0)
    ++chosen;
  return order[chosen];
}

static void write(int32_t token, bool isText) {
  if (isText)
    std::fputc(token, stdout);
  else
    fmt::print("{} ", token);
  std::fflush(stdout);
}

/// Tokens as numbers where the prompt is numbers and commas, otherwise its bytes.
static Expected<std::vector<int32_t>> tokensOf(StringRef prompt, bool &isText) {
  std::vector<int32_t> tokens;
  isText = prompt.find_first_not_of("0123456789,") != StringRef::npos || !prompt.contains(',');
  if (isText)
    tokens.assign(prompt.bytes_begin(), prompt.bytes_end());
  SmallVector<StringRef> numbers;
  prompt.split(numbers, ',', -1, /*KeepEmpty=*/false);
  for (StringRef number : numbers)
    if (int32_t token; !isText && !number.getAsInteger(10, token))
      tokens.push_back(token);
  if (tokens.empty())
    return createStringError("the prompt is empty: there is nothing to go on from");
  return tokens;
}

static Error generate(const GenerateOptions &options, const attn_model &model) {
  bool isText;
  auto prompt = tokensOf(options.prompt, isText);
  if (!prompt)
    return prompt.takeError();
  Sequence sequence(options, model);
  if (Error error = sequence.begin(int64_t(prompt->size()) + options.count))
    return error;
  for (int32_t token : *prompt)
    write(token, isText);
  std::vector<int32_t> next = *prompt;
  for (int64_t number = 0; number < options.count; ++number) {
    if (Error error = sequence.take(next))
      return error;
    next = {choose(options, sequence.logits(), number)};
    if (next.front() == options.stop)
      break;
    write(next.front(), isText);
  }
  std::fputc('\n', stdout);
  return Error::success();
}

static ExitCode generate(GenerateOptions &options) {
  ExitCode exitCode = ExitCode::Success;
  std::optional<LoadedModel> loaded = options.source.load(exitCode);
  return loaded ? report(generate(options, loaded->model())) : exitCode;
}

void addGenerate(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App *command = app.add_subcommand("generate", "Write what a model says next, token by token");
  options->source.addTo(*command, SourceOptions::Takes::ModelsAndObjects);
  command->add_option("--prompt", options->prompt, "A text, for models over bytes, or tokens: 15496,11,995")
      ->required();
  command->add_option("--entry", options->entry, "Made by `incremental`; may be left out where there is one");
  command->add_option("--weights", options->weights, "A .safetensors file")->type_name("FILE");
  command->add_option("--count", options->count, "Tokens at most")->capture_default_str()->check(CLI::PositiveNumber);
  command->add_option("--stop", options->stop, "Token that ends it")->type_name("TOKEN");
  command->add_option("--temperature", options->temperature, "0: always the likeliest")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_option("--top-k", options->top, "Draw among so many; 0: all")->check(CLI::NonNegativeNumber);
  command->add_option("--top-p", options->mass, "Draw among the likeliest with this probability together")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--seed", options->seed, "Of the draws")->capture_default_str();
  command->add_option("--threads", options->threads, "Threads; 0 is one for each processor")->capture_default_str();
  command->footer("Example:\n  attnc generate examples/chargpt/chargpt.attn --weights run/weights.safetensors "
                  "--prompt \"In the beginning\" --count 100 --temperature 0.8");
  command->callback([options, &exitCode] { exitCode = generate(*options); });
}

} // namespace attnc
