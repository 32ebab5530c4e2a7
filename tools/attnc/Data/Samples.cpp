#include "tools/attnc/Data/Samples.h"
#include "tools/attnc/Tensors/TextFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace llvm;

namespace attnc {

Expected<std::unique_ptr<Samples>> Samples::read(const attn_entry_info &entry, const std::vector<std::string> &places,
                                                 double heldOut) {
  std::unique_ptr<Samples> data(new Samples(entry, heldOut));
  data->inputs.resize(dataInputs(entry));
  if (data->inputs.empty())
    return createStringError(formatv("'{0}' has no inputs for data", entry.name));
  for (StringRef place : places)
    if (Error error = data->readInput(place))
      return std::move(error);
  for (auto [number, input] : enumerate(data->inputs))
    if (input.path.empty())
      return createStringError(
          formatv("input '{0}' has no data; give it by --data {0}=FILE", entry.tensors[number].name));
  for (const Input &input : data->inputs)
    if (input.tensor.shape.front() != data->count())
      return createStringError(formatv("the inputs have {0} and {1} samples (their first dimension)", data->count(),
                                       input.tensor.shape.front()));
  data->splitOff();
  return data;
}

/// Reads the file of an "input=FILE".
Error Samples::readInput(StringRef place) {
  auto [name, file] = place.split('=');
  int32_t number = 0;
  while (number < dataInputs(entry) && name != entry.tensors[number].name)
    ++number;
  if (file.empty() || number == dataInputs(entry))
    return createStringError(formatv("--data {0}: expected input=FILE, with an input of '{1}'", place, entry.name));
  Input &input = inputs[number];
  if (!input.path.empty())
    return createStringError(formatv("--data {0}: input '{1}' has its data from {2} already", place, name, input.path));
  auto tensor = readTensor(file.str());
  if (!tensor)
    return tensor.takeError();
  if (tensor->shape.empty())
    return createStringError(
        formatv("{0}: is one number, expected a tensor whose first dimension counts samples", file));
  input = {std::move(*tensor), file.str(), attnc::isText(file)};
  return Error::success();
}

uint64_t Samples::fingerprint() const {
  uint64_t hash = xxh3_64bits(ArrayRef<uint8_t>());
  for (const Input &input : inputs) {
    auto *bytes = reinterpret_cast<const uint8_t *>(input.tensor.bytes.data());
    hash = hash * 0x9E3779B97F4A7C15 + xxh3_64bits(ArrayRef(bytes, input.tensor.bytes.size()));
  }
  return hash;
}

/// The number of dimensions of inputs before the rows: 1 if the training step accumulates batches.
int32_t Samples::accumulated() const {
  return entry.tensors[0].rank == int32_t(inputs.front().tensor.shape.size()) + 1;
}

//===- Checks of the data -----------------------------------------------------------------------------------------===//

Error Samples::fits(const InputRanges &ranges) const {
  for (int32_t input = 0; input < int32_t(inputs.size()); ++input) {
    if (Error error = fitsInput(input))
      return error;
    auto found = ranges.find(entry.tensors[input].name);
    if (isOfLines(input) && found != ranges.end())
      if (Error error = fitsCharacters(input, leastOf(found->second)))
        return error;
  }
  return Error::success();
}

/// The largest width of lines, including the zero after them, that the entry point accepts; null if it has no limit.
static std::optional<int64_t> widest(const attn_entry_info &entry, const attn_tensor_info &input) {
  const attn_size_info &last = input.shape[input.rank - 1];
  if (int32_t dimension = attn_size_dimension(&last); dimension >= 0)
    return entry.dimensions[dimension].max >= 0 ? std::optional(entry.dimensions[dimension].max) : std::nullopt;
  return last.term_count == 1 && last.terms[0].factor_count == 0 ? std::optional(last.terms[0].coefficient)
                                                                 : std::nullopt;
}

Error Samples::fitsInput(int32_t input) const {
  const Input &those = inputs[input];
  const attn_tensor_info &info = entry.tensors[input];
  int32_t front = accumulated();
  bool fits = those.tensor.dtype == info.dtype && int32_t(those.tensor.shape.size()) + front == info.rank;
  for (int32_t d = 1 + front; fits && d < info.rank - those.isOfLines; ++d)
    fits = info.shape[d].term_count != 1 || info.shape[d].terms[0].factor_count > 0 ||
           info.shape[d].terms[0].coefficient == those.tensor.shape[d - front];
  if (!fits)
    return createStringError(
        formatv("the data of input '{0}' do not have its element type, rank and sizes", info.name));
  std::optional<int64_t> width = those.isOfLines ? widest(entry, info) : std::nullopt;
  for (int64_t row = 0; width && row < those.tensor.shape.front(); ++row)
    if (those.length(row) >= *width)
      return createStringError(formatv("{0}:{1}: has {2} characters, and '{3}' has room for {4} and their end",
                                       those.path, row + 1, those.length(row), info.name, *width - 1));
  return Error::success();
}

Error Samples::fitsCharacters(int32_t input, int64_t vocabulary) const {
  const HostTensor &lines = inputs[input].tensor;
  for (int64_t at = 0; at < lines.count() && vocabulary > 0; ++at)
    if (int32_t point = lines.integers()[at]; point >= vocabulary)
      return createStringError(formatv("{0}:{1}: has the character '{2}' of the code point {3}, outside of the "
                                       "vocabulary of {4}",
                                       inputs[input].path, at / lines.shape.back() + 1, character(point), point,
                                       vocabulary));
  return Error::success();
}

//===- Batches ----------------------------------------------------------------------------------------------------===//

int64_t Samples::Input::length(int64_t row) const {
  const int32_t *first = tensor.integers() + row * tensor.shape.back();
  return std::find(first, first + tensor.shape.back(), 0) - first;
}

/// The width of lines: that of the entry point; otherwise the length of the longest of these rows, over all inputs with
/// the same dimension, plus one.
int64_t Samples::widthOf(size_t input, const std::vector<int64_t> &rows) const {
  auto dimensionOf = [&](size_t number) {
    const attn_tensor_info &info = entry.tensors[number];
    return attn_size_dimension(&info.shape[info.rank - 1]);
  };
  int32_t dimension = dimensionOf(input);
  if (dimension < 0)
    return widest(entry, entry.tensors[input]).value_or(inputs[input].tensor.shape.back());
  int64_t width = 1;
  for (auto [number, those] : enumerate(inputs))
    for (int64_t row : those.isOfLines &&dimensionOf(number) == dimension ? rows : std::vector<int64_t>())
      width = std::max(width, those.length(row) + 1);
  return width;
}

std::vector<HostTensor> Samples::gather(BatchShape, const std::vector<int64_t> &starts) const {
  std::vector<HostTensor> result;
  for (auto [number, input] : enumerate(inputs)) {
    std::vector<int64_t> sizes = input.tensor.shape;
    sizes.front() = int64_t(starts.size());
    if (input.isOfLines)
      sizes.back() = widthOf(number, starts);
    HostTensor &tensor = result.emplace_back(input.tensor.dtype, sizes);
    size_t from = input.tensor.bytes.size() / size_t(input.tensor.shape.front());
    size_t to = tensor.bytes.size() / std::max<size_t>(starts.size(), 1);
    for (auto [row, start] : enumerate(starts))
      std::copy_n(input.tensor.bytes.begin() + start * from, std::min(from, to), tensor.bytes.begin() + row * to);
  }
  return result;
}

} // namespace attnc
