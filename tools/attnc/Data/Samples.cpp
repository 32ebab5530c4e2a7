#include "tools/attnc/Data/Samples.h"
#include "tools/attnc/Call/TypeText.h"
#include "tools/attnc/Tensors/TextFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace llvm;

namespace attnc {

Expected<std::unique_ptr<Samples>> Samples::read(const attn_entry_info &entry, EntryInputs inputs,
                                                 const std::vector<std::string> &places,
                                                 const Vocabularies &vocabularies, double heldOut) {
  std::unique_ptr<Samples> data(new Samples(entry, std::move(inputs), heldOut));
  data->samples.resize(data->inputs.sampled().size());
  for (StringRef place : places)
    if (Error error = data->readInput(place, vocabularies))
      return std::move(error);
  for (auto [number, input] : enumerate(data->samples))
    if (input.path.empty())
      return createStringError(formatv("input '{0}' has no data; give it by --data {0}=FILE, or by --input {0}=FILE if "
                                       "it is the same in all batches",
                                       data->inputs.sampled(number).name));
  for (const Input &input : data->samples)
    if (input.tensor.shape.front() != data->count())
      return createStringError(formatv("the inputs have {0} and {1} samples (their first dimension)", data->count(),
                                       input.tensor.shape.front()));
  data->splitOff();
  return data;
}

/// Reads the file of an "input=FILE".
Error Samples::readInput(StringRef place, const Vocabularies &vocabularies) {
  auto [name, file] = place.split('=');
  size_t number = 0;
  while (number < samples.size() && name != inputs.sampled(number).name)
    ++number;
  if (file.empty() || number == samples.size())
    return createStringError(
        formatv("--data {0}: expected input=FILE, with an input of '{1}'{2}", place, entry.name,
                inputs.sampled().size() < size_t(inputsBeforeKey(entry)) ? " that --input does not give" : ""));
  Input &input = samples[number];
  if (!input.path.empty())
    return createStringError(formatv("--data {0}: input '{1}' has its data from {2} already", place, name, input.path));
  auto vocabulary = vocabularies.forFile(name, file);
  if (!vocabulary)
    return vocabulary.takeError();
  auto tensor = readTensor(file.str(), *vocabulary);
  if (!tensor)
    return tensor.takeError();
  if (tensor->shape.empty())
    return createStringError(
        formatv("{0}: is one number, expected a tensor whose first dimension counts samples", file));
  input = {std::move(*tensor), file.str(), attnc::isText(file), *vocabulary};
  return Error::success();
}

uint64_t Samples::hashOfSamples() const {
  uint64_t hash = xxh3_64bits(ArrayRef<uint8_t>());
  for (const Input &input : samples) {
    auto *bytes = reinterpret_cast<const uint8_t *>(input.tensor.bytes.data());
    hash = hash * 0x9E3779B97F4A7C15 + xxh3_64bits(ArrayRef(bytes, input.tensor.bytes.size()));
  }
  return hash;
}

bool Samples::isAccumulated() const {
  const attn_tensor_info &first = inputs.sampled(0);
  return entry.updates && leadingNumber(first) && first.rank == int32_t(samples.front().tensor.shape.size()) + 1;
}

/// The data of an input of the entry point; null if it has none.
const Samples::Input *Samples::find(int32_t input) const {
  const int32_t *found = llvm::find(inputs.sampled(), input);
  return found == inputs.sampled().end() ? nullptr : &samples[size_t(found - inputs.sampled().begin())];
}

bool Samples::isOfLines(int32_t input) const {
  const Input *found = find(input);
  return found && found->isOfCharacters;
}

const Vocabulary *Samples::vocabularyOf(int32_t input) const {
  const Input *found = find(input);
  return found && found->isOfWords() ? found->vocabulary : nullptr;
}

//===- Checks of the data -----------------------------------------------------------------------------------------===//

Error Samples::checkSamples(const InputRanges &ranges) const {
  for (size_t input = 0; input < samples.size(); ++input) {
    if (Error error = checkInput(input))
      return error;
    auto found = ranges.find(inputs.sampled(input).name);
    int64_t room = found == ranges.end() ? 0 : leastOf(found->second);
    const Vocabulary *vocabulary = samples[input].vocabulary;
    if (Error error = vocabulary ? checkRoom(inputs.sampled(input).name, *vocabulary, room) : Error::success())
      return error;
    if (Error error = samples[input].isOfCharacters ? checkCharacters(input, room) : Error::success())
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

Error Samples::checkInput(size_t input) const {
  const Input &those = samples[input];
  const attn_tensor_info &info = inputs.sampled(input);
  int32_t front = isAccumulated() ? 1 : 0;
  bool fits = those.tensor.dtype == info.dtype && int32_t(those.tensor.shape.size()) + front == info.rank;
  for (int32_t d = 1 + front; fits && d < info.rank - those.isOfLines(); ++d)
    fits = info.shape[d].term_count != 1 || info.shape[d].terms[0].factor_count > 0 ||
           info.shape[d].terms[0].coefficient == those.tensor.shape[d - front];
  if (!fits)
    return createStringError(formatv("{0}: found samples of {1}, expected {2} for '{3}'", those.path,
                                     typeText(those.tensor), typeText(entry, info), info.name));
  std::optional<int64_t> width = those.isOfLines() ? widest(entry, info) : std::nullopt;
  for (int64_t row = 0; width && row < those.tensor.shape.front(); ++row)
    if (those.length(row) >= *width)
      return createStringError(formatv("{0}:{1}: has {2} {3}, and '{4}' has room for {5} and their end", those.path,
                                       row + 1, those.length(row), those.isOfWords() ? "words" : "characters",
                                       info.name, *width - 1));
  return Error::success();
}

Error Samples::checkCharacters(size_t input, int64_t vocabulary) const {
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

int64_t Samples::Input::length(int64_t row) const {
  const int32_t *first = tensor.integers() + row * tensor.shape.back();
  return std::find(first, first + tensor.shape.back(), 0) - first;
}

/// The width of lines: that of the entry point; otherwise the length of the longest of these rows, over all inputs with
/// the same dimension, plus one.
int64_t Samples::widthOf(size_t input, const std::vector<int64_t> &rows) const {
  auto dimensionOf = [&](size_t number) {
    const attn_tensor_info &info = inputs.sampled(number);
    return attn_size_dimension(&info.shape[info.rank - 1]);
  };
  int32_t dimension = dimensionOf(input);
  if (dimension < 0)
    return widest(entry, inputs.sampled(input)).value_or(samples[input].tensor.shape.back());
  int64_t width = 1;
  for (auto [number, those] : enumerate(samples))
    for (int64_t row : those.isOfLines() && dimensionOf(number) == dimension ? rows : std::vector<int64_t>())
      width = std::max(width, those.length(row) + 1);
  return width;
}

std::vector<HostTensor> Samples::gather(BatchShape, const std::vector<int64_t> &starts) const {
  std::vector<HostTensor> result;
  for (auto [number, input] : enumerate(samples)) {
    std::vector<int64_t> sizes = input.tensor.shape;
    sizes.front() = int64_t(starts.size());
    if (input.isOfLines())
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
