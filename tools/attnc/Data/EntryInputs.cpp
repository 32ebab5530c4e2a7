#include "tools/attnc/Data/EntryInputs.h"
#include "tools/attnc/Call/TypeText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace attnc {

int32_t inputsBeforeKey(const attn_entry_info &entry) {
  auto isKey = [&](int32_t input, StringRef name) {
    return input >= 0 && entry.tensors[input].dtype == ATTN_I32 && entry.tensors[input].rank == 0 &&
           name == entry.tensors[input].name;
  };
  int32_t last = entry.input_count - 1;
  if (isKey(last, "step") && isKey(last - 1, "seed"))
    return last - 1;
  return isKey(last, "seed") ? last : entry.input_count;
}

int32_t inputNumber(const attn_entry_info &entry, StringRef name) {
  for (int32_t input = 0; input < inputsBeforeKey(entry); ++input)
    if (name == entry.tensors[input].name)
      return input;
  return -1;
}

std::vector<HostTensor> drawKey(const attn_entry_info &entry, uint64_t seed, int64_t step) {
  std::vector<HostTensor> key;
  for (int32_t input = inputsBeforeKey(entry); input < entry.input_count; ++input) {
    bool isSeed = StringRef(entry.tensors[input].name) == "seed";
    // All 64 bits of the seed have an effect; a seed of 32 bits is itself.
    key.emplace_back(ATTN_I32, std::vector<int64_t>{}).integers()[0] =
        int32_t(isSeed ? seed + (seed >> 32) * 0x9e3779b9 : step);
  }
  return key;
}

Expected<EntryInputs> EntryInputs::read(const attn_entry_info &entry, ArrayRef<std::string> options,
                                        const Vocabularies &vocabularies) {
  std::vector<int64_t> dimensions(entry.dimension_count, -1);
  auto values =
      readInputValues(entry, inputsBeforeKey(entry), options, vocabularies, dimensions, /*areOfOneBatch=*/true);
  if (!values)
    return values.takeError();
  EntryInputs result(entry);
  result.values = std::move(*values);
  for (auto [number, value] : enumerate(result.values)) {
    if (value && value->isFilling())
      return createStringError(
          formatv("--input {0}={1}: expected a file or a number", entry.tensors[number].name, value->text));
    if (!value)
      result.fromData.push_back(int32_t(number));
  }
  return result;
}

std::vector<HostTensor> EntryInputs::complete(std::vector<HostTensor> samples) const {
  std::vector<HostTensor> all;
  auto sample = samples.begin();
  for (const auto &value : values)
    all.push_back(value ? value->tensor : std::move(*sample++));
  return all;
}

bool EntryInputs::areOfOneBatch() const {
  bool areAll = true, isAny = false;
  for (size_t input = 0; input < values.size(); ++input)
    if (values[input]) {
      isAny = true;
      areAll &= lackingDimensions(input) == 1;
    }
  return isAny && areAll;
}

Error EntryInputs::checkRank(size_t input, bool isAccumulated) const {
  attn_tensor_info expected = entry->tensors[input];
  if (lackingDimensions(input) == (isAccumulated ? 1 : 0))
    return Error::success();
  if (isAccumulated) {
    ++expected.shape;
    --expected.rank;
  }
  return createStringError(formatv("--input {0}={1}: found {2}, expected {3} for '{0}'", expected.name,
                                   values[input]->text, typeText(values[input]->tensor), typeText(*entry, expected)));
}

Error EntryInputs::checkRange(size_t input, const InputRanges &ranges) const {
  StringRef name = entry->tensors[input].name;
  const InputValues &value = *values[input];
  auto range = ranges.find(name.str());
  int64_t size = range == ranges.end() ? 0 : leastOf(range->second);
  for (int64_t at = 0; size > 0 && at < value.tensor.count(); ++at)
    if (int32_t element = value.tensor.integers()[at]; element < 0 || element >= size)
      return createStringError(formatv("--input {0}={1}: found {2} at element {3}, expected a subscript from 0 to {4}",
                                       name, value.text, element, at, size - 1));
  return Error::success();
}

Error EntryInputs::check(const InputRanges &ranges, bool isAccumulated) const {
  for (size_t input = 0; input < values.size(); ++input) {
    if (!values[input])
      continue;
    if (Error error = checkRank(input, isAccumulated))
      return error;
    if (Error error = checkRange(input, ranges))
      return error;
  }
  return Error::success();
}

uint64_t EntryInputs::fingerprint(uint64_t hash) const {
  for (const auto &value : values)
    if (value) {
      auto *bytes = reinterpret_cast<const uint8_t *>(value->tensor.bytes.data());
      hash = hash * 0x9E3779B97F4A7C15 + xxh3_64bits(ArrayRef(bytes, value->tensor.bytes.size()));
    }
  return hash;
}

} // namespace attnc
