#include "tools/attnc/Data/Samples.h"
#include "tools/attnc/Call/Runner.h"
#include "tools/attnc/Call/TypeText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace llvm;

namespace attnc {

static constexpr char offsetsSuffix[] = ".offsets";

Expected<std::unique_ptr<Samples>> Samples::read(const attn_entry_info &entry, EntryInputs inputs,
                                                 const std::vector<std::string> &places,
                                                 const Vocabularies &vocabularies, double heldOut) {
  std::unique_ptr<Samples> data(new Samples(entry, std::move(inputs), heldOut));
  data->samples.resize(data->inputs.sampled().size());
  auto areOffsets = [](StringRef place) { return place.split('=').first.ends_with(offsetsSuffix); };
  for (StringRef place : places)
    if (Error error = areOffsets(place) ? Error::success() : data->readInput(place, vocabularies))
      return std::move(error);
  for (StringRef place : places)
    if (Error error = areOffsets(place) ? data->readOffsets(place) : Error::success())
      return std::move(error);
  for (auto [number, input] : enumerate(data->samples))
    if (input.path().empty())
      return createStringError(formatv("input '{0}' has no data; give it by --data {0}=FILE, or by --input {0}=FILE if "
                                       "it is the same in all batches",
                                       data->inputs.sampled(number).name));
  for (const SampleRows &input : data->samples)
    if (input.count() != data->count())
      return createStringError(formatv("the inputs have {0} and {1} samples ({2})", data->count(), input.count(),
                                       input.isDivided() ? "their offsets" : "their first dimension"));
  data->splitOff();
  return data;
}

/// The number of an input from the data; null if there is none of this name.
std::optional<size_t> Samples::numberOf(StringRef name) const {
  for (size_t number = 0; number < samples.size(); ++number)
    if (name == inputs.sampled(number).name)
      return number;
  return std::nullopt;
}

/// Reads the file of an "input=FILE".
Error Samples::readInput(StringRef place, const Vocabularies &vocabularies) {
  auto [name, file] = place.split('=');
  std::optional<size_t> number = numberOf(name);
  if (file.empty() || !number)
    return createStringError(
        formatv("--data {0}: expected input=FILE, with an input of '{1}'{2}", place, entry.name,
                inputs.sampled().size() < size_t(inputsBeforeKey(entry)) ? " that --input does not give" : ""));
  SampleRows &input = samples[*number];
  if (!input.path().empty())
    return createStringError(
        formatv("--data {0}: input '{1}' has its data from {2} already", place, name, input.path()));
  auto rows = SampleRows::read(name, file, vocabularies);
  if (!rows)
    return rows.takeError();
  input = std::move(*rows);
  return Error::success();
}

/// Reads the file of an "input.offsets=FILE"; requires that other files are read.
Error Samples::readOffsets(StringRef place) {
  auto [name, file] = place.split('=');
  name.consume_back(offsetsSuffix);
  std::optional<size_t> number = numberOf(name);
  if (file.empty() || !number || samples[*number].path().empty())
    return createStringError(
        formatv("--data {0}: expected offsets of the rows of an input with --data {1}=FILE", place, name));
  if (samples[*number].isDivided())
    return createStringError(formatv("--data {0}: input '{1}' has its offsets from {2} already", place, name,
                                     samples[*number].offsetsPath()));
  return samples[*number].readOffsets(file);
}

uint64_t Samples::hashOfSamples() const {
  uint64_t hash = xxh3_64bits(ArrayRef<uint8_t>());
  for (const SampleRows &input : samples)
    hash = input.fingerprint(hash);
  return hash;
}

bool Samples::isAccumulated() const {
  const attn_tensor_info &first = inputs.sampled(0);
  return entry.updates && leadingNumber(first) && first.rank == samples.front().rank() + 1;
}

/// The data of an input of the entry point; null if it has none.
const SampleRows *Samples::find(int32_t input) const {
  const int32_t *found = llvm::find(inputs.sampled(), input);
  return found == inputs.sampled().end() ? nullptr : &samples[size_t(found - inputs.sampled().begin())];
}

bool Samples::isOfLines(int32_t input) const {
  const SampleRows *found = find(input);
  return found && found->isOfCharacters();
}

const Vocabulary *Samples::vocabularyOf(int32_t input) const {
  const SampleRows *found = find(input);
  return found && found->isOfWords() ? found->vocabulary() : nullptr;
}

//===- Checks of the data -----------------------------------------------------------------------------------------===//

Error Samples::checkSamples(const InputRanges &ranges) const {
  for (auto [number, rows] : enumerate(samples)) {
    if (Error error = checkInput(number))
      return error;
    StringRef name = inputs.sampled(number).name;
    auto found = ranges.find(name.str());
    int64_t room = found == ranges.end() ? 0 : leastOf(found->second);
    if (Error error = rows.vocabulary() ? checkRoom(name, *rows.vocabulary(), room) : Error::success())
      return error;
    if (Error error = rows.isOfCharacters() && room > 0 ? rows.checkCharacters(room) : Error::success())
      return error;
  }
  return Error::success();
}

/// The size of the width of ragged rows: the dimension after that of the rows.
const attn_size_info &Samples::widthInfo(size_t input) const {
  return inputs.sampled(input).shape[isAccumulated() ? 2 : 1];
}

/// The largest width of ragged rows that the entry point accepts; null if it has no limit.
std::optional<int64_t> Samples::widest(size_t input) const {
  const attn_size_info &width = widthInfo(input);
  if (int32_t dimension = attn_size_dimension(&width); dimension >= 0)
    return entry.dimensions[dimension].max >= 0 ? std::optional(entry.dimensions[dimension].max) : std::nullopt;
  return constantSize(width);
}

Error Samples::checkInput(size_t input) const {
  const SampleRows &rows = samples[input];
  const attn_tensor_info &info = inputs.sampled(input);
  int32_t front = isAccumulated() ? 1 : 0;
  bool fits = rows.dtype() == info.dtype && rows.rank() + front == info.rank;
  for (int32_t d = 1; fits && d < rows.rank(); ++d) {
    std::optional<int64_t> expected = constantSize(info.shape[d + front]), found = rows.size(d);
    fits = !expected || !found || *expected == *found;
  }
  if (!fits)
    return createStringError(formatv("{0}: found samples of {1}, expected {2} for '{3}'", rows.path(), rows.typeText(),
                                     typeText(entry, info), info.name));
  std::optional<int64_t> width = rows.isRagged() ? widest(input) : std::nullopt;
  for (int64_t row = 0; width && row < rows.count(); ++row)
    if (rows.widthOf(row) > *width) {
      bool hasEnd = rows.isOfLines();
      const char *unit = rows.isOfWords() ? "words" : hasEnd ? "characters" : "elements";
      return createStringError(formatv("{0}: has {1} {2}, and '{3}' has room for {4}{5}", rows.placeOf(row),
                                       rows.length(row), unit, info.name, *width - (hasEnd ? 1 : 0),
                                       hasEnd ? " and their end" : ""));
    }
  return Error::success();
}

//===- Batches ----------------------------------------------------------------------------------------------------===//

/// The width of ragged rows: that of the entry point; otherwise that of the widest of these rows, over all inputs with
/// the same dimension.
int64_t Samples::widthOf(size_t input, const std::vector<int64_t> &rows) const {
  int32_t dimension = attn_size_dimension(&widthInfo(input));
  if (dimension < 0 && widest(input))
    return *widest(input);
  int64_t width = 1;
  for (auto [number, those] : enumerate(samples)) {
    auto hasSameWidth = [&, number = number] {
      return number == input || (dimension >= 0 && dimension == attn_size_dimension(&widthInfo(number)));
    };
    for (int64_t row : those.isRagged() && hasSameWidth() ? ArrayRef(rows) : ArrayRef<int64_t>())
      width = std::max(width, those.widthOf(row));
  }
  return width;
}

std::vector<HostTensor> Samples::gather(BatchShape, const std::vector<int64_t> &starts) const {
  std::vector<HostTensor> result;
  for (auto [number, input] : enumerate(samples))
    result.push_back(input.gather(starts, input.isRagged() ? widthOf(number, starts) : 0));
  return result;
}

} // namespace attnc
