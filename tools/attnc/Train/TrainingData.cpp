#include "tools/attnc/Train/TrainingData.h"
#include "attn/random.h"
#include "tools/attnc/TextFile.h"
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
  auto isKey = [&](int32_t input, StringRef name) {
    return input >= 0 && entry.tensors[input].dtype == ATTN_I32 && entry.tensors[input].rank == 0 &&
           name == entry.tensors[input].name;
  };
  int32_t last = entry.input_count - 1;
  if (isKey(last, "step") && isKey(last - 1, "seed"))
    return last - 1;
  return isKey(last, "seed") ? last : entry.input_count;
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
  return isOfTokens || (!isSequence() && entry->tensors[0].rank == int32_t(samples.front().tensor.shape.size()) + 1);
}

Expected<TrainingData> TrainingData::read(const attn_model &model, const attn_entry_info &entry,
                                          const std::vector<std::string> &places, double heldOut) {
  if (!(heldOut >= 0 && heldOut <= 1)) // not a number neither
    return createStringError(formatv("the share that is held out must be from 0 to 1, found {0}", heldOut));
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
  if (data.samples.empty())
    return createStringError(formatv("'{0}' has no inputs that data are for", entry.name));
  for (StringRef place : places)
    if (Error error = data.readSamples(place))
      return std::move(error);
  for (int32_t input = 0; input < dataInputs(entry); ++input)
    if (data.samples[input].tensor.shape.empty())
      return createStringError(
          formatv("input '{0}' has no data; give it by --data {0}=FILE", entry.tensors[input].name));
  for (const Samples &input : data.samples)
    if (input.tensor.shape.front() != data.count())
      return createStringError(formatv("the inputs have {0} and {1} samples (their first dimension)", data.count(),
                                       input.tensor.shape.front()));
  data.split = int64_t(double(data.count()) * (1 - heldOut));
  return data;
}

/// Of "input=FILE".
Error TrainingData::readSamples(StringRef place) {
  auto [name, file] = place.split('=');
  int32_t input = 0;
  while (input < dataInputs(*entry) && name != entry->tensors[input].name)
    ++input;
  if (file.empty() || input == dataInputs(*entry))
    return createStringError(formatv("--data {0}: expected input=FILE, with an input of '{1}'", place, entry->name));
  auto tensor = readTensor(file.str());
  if (!tensor)
    return tensor.takeError();
  samples[input] = {std::move(*tensor), file.str(), attnc::isText(file)};
  return Error::success();
}

uint64_t TrainingData::fingerprint() const {
  auto *values = reinterpret_cast<const uint8_t *>(tokens.data());
  uint64_t hash = xxh3_64bits(ArrayRef(values, tokens.size() * sizeof(int32_t)));
  for (const Samples &input : samples) {
    auto *bytes = reinterpret_cast<const uint8_t *>(input.tensor.bytes.data());
    hash = hash * 0x9E3779B97F4A7C15 + xxh3_64bits(ArrayRef(bytes, input.tensor.bytes.size()));
  }
  return hash;
}

//===- Do they fit? -----------------------------------------------------------------------------------------------===//

/// The least of the sizes that are numbers; 0 where there is none.
static int64_t leastOf(const std::vector<std::string> &sizes) {
  int64_t least = 0;
  for (StringRef size : sizes)
    if (int64_t number; !size.getAsInteger(10, number) && (least == 0 || number < least))
      least = number;
  return least;
}

Error TrainingData::check(BatchShape shape, const InputRanges &ranges) const {
  int64_t least = isSequence() ? shape.sequence + 2 : 1;
  if (split < least)
    return createStringError(formatv("the data are too short: {0} {1} to train on, and a batch wants at least {2}",
                                     split, isSequence() ? "tokens" : "samples", least));
  return fits(ranges);
}

Error TrainingData::fits(const InputRanges &ranges) const {
  if (isSequence()) {
    std::vector<std::string> sizes; // both inputs have the same tokens
    for (const auto &[name, those] : ranges)
      append_range(sizes, those);
    return fitsTokens(leastOf(sizes));
  }
  for (int32_t input = 0; input < int32_t(samples.size()); ++input) {
    if (Error error = fitsInput(input))
      return error;
    auto found = ranges.find(entry->tensors[input].name);
    if (isOfLines(input) && found != ranges.end())
      if (Error error = fitsCharacters(input, leastOf(found->second)))
        return error;
  }
  return Error::success();
}

Error TrainingData::fitsTokens(int64_t vocabulary) const {
  for (size_t place = 0; place < tokens.size() && vocabulary > 0; ++place)
    if (tokens[place] < 0 || tokens[place] >= vocabulary)
      return createStringError(
          formatv("token {0} of the data is {1}, outside of the vocabulary of {2}", place, tokens[place], vocabulary));
  return Error::success();
}

/// How wide the entry point lets lines be, with the zero behind them; nothing where it does not say.
static std::optional<int64_t> widest(const attn_entry_info &entry, const attn_tensor_info &input) {
  const attn_size_info &last = input.shape[input.rank - 1];
  if (int32_t dimension = attn_size_dimension(&last); dimension >= 0)
    return entry.dimensions[dimension].max >= 0 ? std::optional(entry.dimensions[dimension].max) : std::nullopt;
  return last.term_count == 1 && last.terms[0].factor_count == 0 ? std::optional(last.terms[0].coefficient)
                                                                 : std::nullopt;
}

Error TrainingData::fitsInput(int32_t input) const {
  const Samples &those = samples[input];
  const attn_tensor_info &info = entry->tensors[input];
  int32_t front = accumulated();
  bool fits = those.tensor.dtype == info.dtype && int32_t(those.tensor.shape.size()) + front == info.rank;
  for (int32_t d = 1 + front; fits && d < info.rank - those.isOfLines; ++d)
    fits = info.shape[d].term_count != 1 || info.shape[d].terms[0].factor_count > 0 ||
           info.shape[d].terms[0].coefficient == those.tensor.shape[d - front];
  if (!fits)
    return createStringError(
        formatv("the data of input '{0}' do not have its element type, rank and sizes", info.name));
  std::optional<int64_t> width = those.isOfLines ? widest(*entry, info) : std::nullopt;
  for (int64_t row = 0; width && row < those.tensor.shape.front(); ++row)
    if (those.length(row) >= *width)
      return createStringError(formatv("{0}:{1}: has {2} characters, and '{3}' has room for {4} and their end",
                                       those.path, row + 1, those.length(row), info.name, *width - 1));
  return Error::success();
}

Error TrainingData::fitsCharacters(int32_t input, int64_t vocabulary) const {
  const HostTensor &lines = samples[input].tensor;
  for (int64_t at = 0; at < lines.count() && vocabulary > 0; ++at)
    if (int32_t point = lines.integers()[at]; point >= vocabulary)
      return createStringError(formatv("{0}:{1}: has the character '{2}' of the code point {3}, outside of the "
                                       "vocabulary of {4}",
                                       samples[input].path, at / lines.shape.back() + 1, character(point), point,
                                       vocabulary));
  return Error::success();
}

//===- Batches ----------------------------------------------------------------------------------------------------===//

int64_t TrainingData::Samples::length(int64_t row) const {
  const int32_t *first = tensor.integers() + row * tensor.shape.back();
  return std::find(first, first + tensor.shape.back(), 0) - first;
}

/// Of lines: what the entry point says, or the longest of these rows in the inputs of the same dimension, and its end.
int64_t TrainingData::widthOf(size_t input, const std::vector<int64_t> &rows) const {
  auto dimensionOf = [&](size_t number) {
    const attn_tensor_info &info = entry->tensors[number];
    return attn_size_dimension(&info.shape[info.rank - 1]);
  };
  int32_t dimension = dimensionOf(input);
  if (dimension < 0)
    return widest(*entry, entry->tensors[input]).value_or(samples[input].tensor.shape.back());
  int64_t width = 1;
  for (auto [number, those] : enumerate(samples))
    for (int64_t row : those.isOfLines &&dimensionOf(number) == dimension ? rows : std::vector<int64_t>())
      width = std::max(width, those.length(row) + 1);
  return width;
}

std::vector<HostTensor> TrainingData::gather(BatchShape shape, const std::vector<int64_t> &starts) const {
  std::vector<HostTensor> result;
  auto rows = int64_t(starts.size());
  for (int64_t shift = 0; isSequence() && shift < 2; ++shift) {
    HostTensor &tensor = result.emplace_back(ATTN_I32, std::vector<int64_t>{rows, shape.sequence});
    for (int64_t row = 0; row < rows; ++row)
      std::copy_n(tokens.begin() + starts[row] + shift, shape.sequence, tensor.integers() + row * shape.sequence);
  }
  for (auto [input, those] : enumerate(samples)) {
    std::vector<int64_t> sizes = those.tensor.shape;
    sizes.front() = rows;
    if (those.isOfLines)
      sizes.back() = widthOf(input, starts);
    HostTensor &tensor = result.emplace_back(those.tensor.dtype, sizes);
    size_t from = those.tensor.bytes.size() / size_t(those.tensor.shape.front());
    size_t to = tensor.bytes.size() / size_t(std::max<int64_t>(rows, 1));
    for (int64_t row = 0; row < rows; ++row)
      std::copy_n(those.tensor.bytes.begin() + starts[row] * from, std::min(from, to), tensor.bytes.begin() + row * to);
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
    if (start + width + (isSequence() ? 1 : 0) > count())
      break;
    starts.push_back(start);
  }
  bool isFixed =
      attn_size_dimension(&entry->tensors[0].shape[accumulated()]) < 0; // the model says how many rows there are
  if (isFixed && int64_t(starts.size()) < shape.batch)
    starts.clear();
  return starts.empty() ? std::vector<HostTensor>() : gather(shape, starts);
}

} // namespace attnc
