#include "tools/attnc/Data/TokenSequence.h"
#include "compiler/Json/InputBuffer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace attnc {

static Expected<std::vector<int32_t>> readTokens(const std::string &path, const Vocabulary *vocabulary) {
  if (vocabulary) {
    InputFile file(path);
    auto lines = TextLines::read(file);
    if (!lines)
      return lines.takeError();
    return vocabulary->sequenceOf(*lines);
  }
  if (StringRef(path).ends_with(".npy")) {
    auto tensor = readTensor(path);
    if (!tensor)
      return tensor.takeError();
    if (tensor->dtype != ATTN_I32 || tensor->shape.size() != 1)
      return createStringError(formatv("{0}: tokens are one dimension of integers", path));
    return std::vector<int32_t>(tensor->integers(), tensor->integers() + tensor->count());
  }
  auto buffer = readInputFile(path);
  if (!buffer)
    return createStringError(formatv("{0}: {1}", path, toString(buffer.takeError())));
  StringRef bytes = (*buffer)->getBuffer();
  if (Error error = HostTensor::checkRoom(path, int64_t(bytes.size() * sizeof(int32_t))))
    return std::move(error);
  return std::vector<int32_t>(bytes.bytes_begin(), bytes.bytes_end());
}

/// Whether the inputs from the data are one or two tensors of tokens, i32[batch, seq], with a leading number of batches
/// if the training step accumulates them.
static bool areTokens(const EntryInputs &inputs) {
  if (inputs.sampled().size() > 2)
    return false;
  int32_t rank = leadingNumber(inputs.sampled(0)) ? 3 : 2;
  auto dimension = [&](size_t input, int32_t d) { return attn_size_dimension(&inputs.sampled(input).shape[d]); };
  for (size_t input = 0; input < inputs.sampled().size(); ++input) {
    if (inputs.sampled(input).dtype != ATTN_I32 || inputs.sampled(input).rank != rank)
      return false;
    for (int32_t d = rank - 2; d < rank; ++d)
      if (dimension(input, d) < 0 || dimension(input, d) != dimension(0, d))
        return false;
  }
  return true;
}

Expected<std::unique_ptr<TokenSequence>> TokenSequence::read(const attn_entry_info &entry, EntryInputs inputs,
                                                             const std::string &path, const Vocabularies &vocabularies,
                                                             double heldOut) {
  if (!areTokens(inputs))
    return createStringError(formatv("{0}: '{1}' does not take tokens, or tokens and the tokens that follow, of "
                                     "i32[batch, seq]; give each input by --data name=FILE",
                                     path, entry.name));
  auto vocabulary = isWordFile(path) ? vocabularies.find(inputs.sampled(0).name, Vocabulary::Kind::Words)
                                     : Expected<const Vocabulary *>(nullptr);
  if (!vocabulary)
    return vocabulary.takeError();
  auto tokens = readTokens(path, *vocabulary);
  if (!tokens)
    return tokens.takeError();
  std::unique_ptr<TokenSequence> data(new TokenSequence(entry, std::move(inputs), heldOut));
  data->tokens = std::move(*tokens);
  data->vocabulary = *vocabulary;
  data->isBytes = !data->vocabulary && !StringRef(path).ends_with(".npy");
  data->splitOff();
  return data;
}

Error TokenSequence::checkSamples(const InputRanges &ranges) const {
  std::vector<std::string> sizes; // of both inputs, which have the same tokens
  for (size_t input = 0; input < inputs.sampled().size(); ++input)
    if (auto found = ranges.find(inputs.sampled(input).name); found != ranges.end())
      append_range(sizes, found->second);
  int64_t room = leastOf(sizes);
  if (vocabulary)
    return checkRoom(inputs.sampled(0).name, *vocabulary, room);
  for (size_t place = 0; place < tokens.size() && room > 0; ++place)
    if (tokens[place] < 0 || tokens[place] >= room)
      return createStringError(
          formatv("token {0} of the data is {1}, outside of the vocabulary of {2}", place, tokens[place], room));
  return Error::success();
}

std::optional<std::vector<int32_t>> TokenSequence::tokensOf(StringRef text) const {
  if (vocabulary)
    return expectedToOptional(vocabulary->tokensOf(text));
  if (isBytes)
    return std::vector<int32_t>(text.bytes_begin(), text.bytes_end());
  return std::nullopt;
}

uint64_t TokenSequence::hashOfSamples() const {
  auto *values = reinterpret_cast<const uint8_t *>(tokens.data());
  return xxh3_64bits(ArrayRef(values, tokens.size() * sizeof(int32_t)));
}

std::vector<HostTensor> TokenSequence::gather(BatchShape shape, const std::vector<int64_t> &starts) const {
  std::vector<HostTensor> result;
  for (int64_t shift = 0; shift < int64_t(inputs.sampled().size()); ++shift) {
    HostTensor &tensor = result.emplace_back(ATTN_I32, std::vector<int64_t>{int64_t(starts.size()), shape.sequence});
    for (auto [row, start] : enumerate(starts))
      std::copy_n(tokens.begin() + start + shift, shape.sequence, tensor.integers() + int64_t(row) * shape.sequence);
  }
  return result;
}

} // namespace attnc
