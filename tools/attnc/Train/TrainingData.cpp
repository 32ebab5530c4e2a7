#include "tools/attnc/Train/TrainingData.h"
#include "attn/random.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace attnc {

/// The stream of draws that decides the order of data.
static constexpr uint64_t orderStream = 0x6f72646572; // "order"

static Expected<std::vector<int32_t>> readTokens(const std::string &path) {
  if (StringRef(path).ends_with(".npy")) {
    auto tensor = readTensor(path);
    if (!tensor)
      return tensor.takeError();
    if (tensor->dtype != ATTN_I32 || tensor->shape.size() != 1)
      return createStringError(formatv("{0}: tokens are one dimension of integers", path));
    return std::vector<int32_t>(tensor->integers(), tensor->integers() + tensor->count());
  }
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(formatv("{0}: {1}", path, buffer.getError().message()));
  StringRef bytes = (*buffer)->getBuffer();
  return std::vector<int32_t>(bytes.bytes_begin(), bytes.bytes_end());
}

int32_t dataInputs(const attn_entry_info &entry) {
  if (entry.input_count == 0)
    return 0;
  const attn_tensor_info &last = entry.tensors[entry.input_count - 1];
  return entry.input_count - (last.dtype == ATTN_I32 && last.rank == 0 && StringRef(last.name) == "seed");
}

std::optional<int64_t> leadingNumber(const attn_tensor_info &tensor) {
  if (tensor.rank == 0 || tensor.shape[0].term_count != 1 || tensor.shape[0].terms[0].factor_count > 0)
    return std::nullopt;
  return tensor.shape[0].terms[0].coefficient;
}

/// Are the inputs tokens and the tokens that follow them, behind a number of batches where they are accumulated?
static bool takesTokens(const attn_entry_info &entry) {
  if (dataInputs(entry) != 2)
    return false;
  int32_t rank = leadingNumber(entry.tensors[0]) ? 3 : 2;
  for (int32_t input = 0; input < 2; ++input)
    if (entry.tensors[input].dtype != ATTN_I32 || entry.tensors[input].rank != rank)
      return false;
  for (int32_t d = rank - 2; d < rank; ++d)
    if (attn_size_dimension(&entry.tensors[0].shape[d]) < 0 ||
        attn_size_dimension(&entry.tensors[0].shape[d]) != attn_size_dimension(&entry.tensors[1].shape[d]))
      return false;
  return true;
}

/// The dimensions of the inputs in front of the rows: 1 where the step accumulates.
int32_t TrainingData::accumulated() const {
  bool isOfTokens = isSequence() && entry->tensors[0].rank == 3;
  return isOfTokens || (!isSequence() && entry->tensors[0].rank == int32_t(samples.front().shape.size()) + 1);
}

Expected<TrainingData> TrainingData::read(const attn_model &model, const attn_entry_info &entry,
                                          const std::vector<std::string> &places, double heldOut) {
  TrainingData data;
  data.entry = &entry;
  if (places.size() == 1 && !StringRef(places[0]).contains('=')) {
    if (!takesTokens(entry))
      return createStringError(formatv("{0}: '{1}' does not take tokens and the tokens that follow, both of "
                                       "i32[batch, seq]; give each input by --data name=FILE",
                                       places[0], entry.name));
    auto tokens = readTokens(places[0]);
    if (!tokens)
      return tokens.takeError();
    data.tokens = std::move(*tokens);
    data.isBytes = !StringRef(places[0]).ends_with(".npy");
    data.split = int64_t(double(data.tokens.size()) * (1 - heldOut));
    return data;
  }
  data.samples.resize(dataInputs(entry));
  for (StringRef place : places) {
    auto [name, file] = place.split('=');
    int32_t input = 0;
    while (input < dataInputs(entry) && name != entry.tensors[input].name)
      ++input;
    if (file.empty() || input == dataInputs(entry))
      return createStringError(formatv("--data {0}: expected input=FILE, with an input of '{1}'", place, entry.name));
    auto tensor = readTensor(file.str());
    if (!tensor)
      return tensor.takeError();
    data.samples[input] = std::move(*tensor);
  }
  for (int32_t input = 0; input < dataInputs(entry); ++input)
    if (data.samples[input].shape.empty())
      return createStringError(
          formatv("input '{0}' has no data; give it by --data {0}=FILE", entry.tensors[input].name));
  for (const HostTensor &sample : data.samples)
    if (sample.shape.front() != data.samples.front().shape.front())
      return createStringError(formatv("the inputs have {0} and {1} samples (their first dimension)",
                                       data.samples.front().shape.front(), sample.shape.front()));
  data.split = int64_t(double(data.count()) * (1 - heldOut));
  return data;
}

uint64_t TrainingData::fingerprint() const {
  auto *values = reinterpret_cast<const uint8_t *>(tokens.data());
  uint64_t hash = xxh3_64bits(ArrayRef(values, tokens.size() * sizeof(int32_t)));
  for (const HostTensor &sample : samples) {
    auto *bytes = reinterpret_cast<const uint8_t *>(sample.bytes.data());
    hash = hash * 0x9E3779B97F4A7C15 + xxh3_64bits(ArrayRef(bytes, sample.bytes.size()));
  }
  return hash;
}

Error TrainingData::check(BatchShape shape, int64_t vocabulary) const {
  int64_t least = isSequence() ? shape.sequence + 2 : 1;
  if (split < least)
    return createStringError(formatv("the data are too short: {0} {1} to train on, and a batch wants at least {2}",
                                     split, isSequence() ? "tokens" : "samples", least));
  for (size_t place = 0; place < tokens.size() && vocabulary > 0; ++place)
    if (tokens[place] < 0 || tokens[place] >= vocabulary)
      return createStringError(
          formatv("token {0} of the data is {1}, outside of the vocabulary of {2}", place, tokens[place], vocabulary));
  for (auto [number, sample] : enumerate(samples)) {
    const attn_tensor_info &info = entry->tensors[number];
    int32_t front = accumulated();
    bool fits = sample.dtype == info.dtype && int32_t(sample.shape.size()) + front == info.rank;
    for (int32_t d = 1 + front; fits && d < info.rank; ++d)
      fits = info.shape[d].term_count != 1 || info.shape[d].terms[0].factor_count > 0 ||
             info.shape[d].terms[0].coefficient == sample.shape[d - front];
    if (!fits)
      return createStringError(
          formatv("the data of input '{0}' do not have its element type, rank and sizes", info.name));
  }
  return Error::success();
}

std::vector<HostTensor> TrainingData::gather(BatchShape shape, const std::vector<int64_t> &starts) const {
  std::vector<HostTensor> result;
  auto rows = int64_t(starts.size());
  for (int64_t shift = 0; isSequence() && shift < 2; ++shift) {
    HostTensor &tensor = result.emplace_back(ATTN_I32, std::vector<int64_t>{rows, shape.sequence});
    for (int64_t row = 0; row < rows; ++row)
      std::copy_n(tokens.begin() + starts[row] + shift, shape.sequence, tensor.integers() + row * shape.sequence);
  }
  for (const HostTensor &sample : samples) {
    std::vector<int64_t> sizes = sample.shape;
    sizes.front() = rows;
    HostTensor &tensor = result.emplace_back(sample.dtype, sizes);
    size_t bytes = sample.bytes.size() / size_t(sample.shape.front());
    for (int64_t row = 0; row < rows; ++row)
      std::copy_n(sample.bytes.begin() + starts[row] * bytes, bytes, tensor.bytes.begin() + row * bytes);
  }
  return result;
}

std::vector<HostTensor> TrainingData::batch(BatchShape shape, uint64_t seed, int64_t step) const {
  std::vector<int64_t> starts;
  int64_t choices = isSequence() ? split - shape.sequence - 1 : split;
  for (int64_t row = 0; row < shape.batch; ++row)
    starts.push_back(
        int64_t(attn_random_uniform(seed, orderStream, uint64_t(step * shape.batch + row)) * double(choices)));
  return gather(shape, starts);
}

std::vector<HostTensor> TrainingData::heldOutBatch(BatchShape shape, int64_t number) const {
  std::vector<int64_t> starts;
  int64_t width = isSequence() ? shape.sequence : 1;
  for (int64_t row = 0; row < shape.batch; ++row) {
    int64_t start = split + (number * shape.batch + row) * width;
    if (start + width + (isSequence() ? 1 : 0) <= count())
      starts.push_back(start);
  }
  bool isFixed =
      attn_size_dimension(&entry->tensors[0].shape[accumulated()]) < 0; // the model says how many rows there are
  if (isFixed && int64_t(starts.size()) < shape.batch)
    starts.clear();
  return starts.empty() ? std::vector<HostTensor>() : gather(shape, starts);
}

} // namespace attnc
