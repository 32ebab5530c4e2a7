#include "tools/attnc/Call/Runner.h"
#include "attn/packed.h"
#include "compiler/Emit/WeightsFiles.h"
#include "frontends/checkpoint/Checkpoint.h"
#include "runtime/files/load.h"
#include "tools/attnc/Call/EntryResults.h"
#include "tools/attnc/Call/UnusedTensors.h"
#include "tools/attnc/Messages/Messages.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace attnc {

Runner::~Runner() {
  attn_cuda_close(device);
  attn_memory_free(context.arena, size_t(context.arena_bytes));
  attn_weights_free(context.weights);
  attn_pool_destroy(pool);
}

Error Runner::start(int64_t threads) {
  attn_status status;
  if (Error error = toError(attn_pool_create(threads, &pool, &status), status))
    return error;
  context.executor = attn_pool_executor(pool);
  return Error::success();
}

/// Loads the parameters from files; other tensors of a checkpoint are a warning.
static Error loadFiles(const attn_model &model, ArrayRef<std::string> paths, int32_t flags,
                       const attn_executor *executor, attn_weights *&weights) {
  auto files = WeightsFiles::open(paths);
  if (!files)
    return files.takeError();
  bool ofCheckpoint = any_of(paths, isCheckpoint);
  flags |= ofCheckpoint ? ATTN_ALLOW_EXTRA : 0; // buffers
  attn_status status;
  attn_code code =
      attn_weights_load_open(&model, files->name().c_str(), files->get(), flags, executor, &weights, &status);
  if (Error error = toError(code, status))
    return error;
  if (ofCheckpoint)
    warnOfUnusedTensors(model, *files);
  return Error::success();
}

/// Maps a file of packed weights.
static Error mapFile(const attn_model &model, const std::string &path, size_t count, int32_t flags,
                     attn_weights *&weights) {
  if (count > 1)
    return createStringError(path + ": has packed weights, which can't be read together with other files");
  if (flags & (ATTN_TRAINABLE | ATTN_KEEP_VALUES))
    return createStringError(formatv("{0}: has packed weights, which {1}; give the file that they were packed from",
                                     path,
                                     flags & ATTN_TRAINABLE ? "a training can't change" : "the oracle can't read"));
  attn_status status;
  return toError(attn_weights_map(&model, path.c_str(), &weights, &status), status);
}

Error Runner::loadWeights(ArrayRef<std::string> files, int32_t flags, uint64_t seed) {
  if (model.loaded_count == 0)
    return files.empty() ? Error::success()
                         : createStringError(formatv("{0}: the model has no parameters", join(files, ", ")));
  bool embedded = model.parameter_count > 0 && model.parameters[0].embedded;
  attn_weights *weights = nullptr;
  if (!files.empty()) {
    auto packed = find_if(files, [](const std::string &path) { return attn_is_packed_file(path.c_str()); });
    Error error = packed != files.end() ? mapFile(model, *packed, files.size(), flags, weights)
                                        : loadFiles(model, files, flags, context.executor, weights);
    setWeights(weights);
    return error;
  }
  attn_status status;
  attn_code code = embedded ? attn_weights_embedded(&model, context.executor, &weights, &status)
                            : attn_weights_initialise(&model, seed, context.executor, &weights, &status);
  setWeights(weights);
  return toError(code, status);
}

void Runner::setWeights(attn_weights *weights) {
  attn_cuda_close(device); // it has copies of the previous weights
  device = nullptr;
  attn_weights_free(context.weights);
  context.weights = weights;
}

Error Runner::growArena(const attn_entry_info &entry, ArrayRef<int64_t> dimensions) {
  if (model.device)
    return Error::success();
  int64_t bytes = entry.arena_bytes(dimensions.data(), context.executor->workers);
  if (bytes < 0 || bytes == INT64_MAX)
    return createStringError("the arena for these dimensions is beyond 64 bits");
  if (bytes <= context.arena_bytes)
    return Error::success();
  attn_memory_free(context.arena, size_t(context.arena_bytes));
  context.arena = attn_memory_allocate(size_t(bytes));
  context.arena_bytes = context.arena ? bytes : 0;
  return context.arena ? Error::success() : createStringError(formatv("no memory for an arena of {0} bytes", bytes));
}

Expected<std::vector<int64_t>> Runner::dimensionsOf(int64_t number, std::vector<HostTensor> &inputs) const {
  std::vector<int64_t> dimensions(model.entries[number].dimension_count);
  std::vector<attn_tensor> views = viewsOf(inputs);
  attn_status status;
  if (Error error = toError(
          attn_infer_dimensions(&model, number, views.data(), int64_t(views.size()), dimensions.data(), &status),
          status))
    return std::move(error);
  return dimensions;
}

Error Runner::call(int64_t number, ArrayRef<attn_tensor> tensors) {
  attn_status status;
  auto count = int64_t(tensors.size());
  if (!model.device)
    return toError(attn_run(&model, number, &context, tensors.data(), count, &status), status);
  if (!device)
    if (Error error = toError(attn_cuda_open(&model, context.weights, ATTN_ANY_DEVICE, &device, &status), status))
      return error;
  return toError(attn_cuda_run(device, number, tensors.data(), count, &status), status);
}

Expected<std::vector<HostTensor>> Runner::run(int64_t number, std::vector<HostTensor> &inputs) {
  const attn_entry_info &entry = model.entries[number];
  auto dimensions = dimensionsOf(number, inputs);
  if (!dimensions)
    return dimensions.takeError();
  if (Error error = growArena(entry, *dimensions))
    return std::move(error);
  std::vector<HostTensor> results;
  for (const attn_tensor_info &info : resultsOf(entry)) {
    auto made = HostTensor::create(info.name, static_cast<attn_dtype>(info.dtype), shapeOf(info, *dimensions));
    if (!made)
      return made.takeError();
    results.push_back(std::move(*made));
  }
  std::vector<attn_tensor> views = viewsOf(inputs);
  append_range(views, viewsOf(results));
  if (Error error = call(number, views))
    return std::move(error);
  return results;
}

std::vector<attn_tensor> viewsOf(std::vector<HostTensor> &tensors) {
  std::vector<attn_tensor> views;
  for (HostTensor &tensor : tensors)
    views.push_back(tensor.view());
  return views;
}

std::optional<int64_t> constantSize(const attn_size_info &size) {
  bool isConstant = all_of(ArrayRef(size.terms, size.term_count),
                           [](const attn_size_term &term) { return term.factor_count + term.quotient_count == 0; });
  return isConstant ? std::optional(attn_size(&size, nullptr)) : std::nullopt;
}

std::vector<int64_t> shapeOf(const attn_tensor_info &info, ArrayRef<int64_t> dimensions) {
  std::vector<int64_t> shape;
  for (const attn_size_info &size : ArrayRef(info.shape, info.rank))
    shape.push_back(attn_size(&size, dimensions.data()));
  return shape;
}

} // namespace attnc
