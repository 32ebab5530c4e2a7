#include "tools/attnc/Data/TrainingData.h"
#include "attn/random.h"
#include "tools/attnc/Data/DataOptions.h"
#include "tools/attnc/Data/NoSamples.h"
#include "tools/attnc/Data/Samples.h"
#include "tools/attnc/Data/TokenSequence.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace attnc {

/// The stream of the draws that determine the order of data.
static constexpr uint64_t orderStream = 0x6f72646572; // "order"

std::string BatchShape::text() const {
  return sequence > 0 ? formatv("{0} x {1} tokens", batch, sequence).str()
         : batch > 0  ? formatv("{0} samples", batch).str()
                      : "without data";
}

TrainingData::~TrainingData() = default;

template <class Data> static Expected<std::unique_ptr<TrainingData>> widened(Expected<std::unique_ptr<Data>> data) {
  if (!data)
    return data.takeError();
  return std::move(*data);
}

/// The error of an entry point with inputs from the data, but without data.
static Error needsData(const attn_entry_info &entry, const EntryInputs &inputs) {
  std::string names;
  for (int32_t input : inputs.sampled())
    names += (names.empty() ? "" : ", ") + std::string(entry.tensors[input].name);
  return createStringError(
      formatv("'{0}' has the inputs {1}, but there are no data; give them by --data FILE for tokens, "
              "by --data NAME=FILE for samples of an input, or by --input NAME=FILE for an input "
              "that is the same in all batches",
              entry.name, names));
}

Expected<std::unique_ptr<TrainingData>> TrainingData::read(const attn_entry_info &entry, const DataOptions &options) {
  if (!(options.heldOut >= 0 && options.heldOut <= 1)) // NaN is rejected, too
    return createStringError(formatv("the held-out fraction must be from 0 to 1, found {0}", options.heldOut));
  auto vocabularies = options.readVocabularies();
  if (!vocabularies)
    return vocabularies.takeError();
  auto inputs = EntryInputs::read(entry, options.inputs, *vocabularies);
  if (!inputs)
    return inputs.takeError();
  auto data = readSamples(entry, options, std::move(*inputs), *vocabularies);
  if (data)
    (*data)->allVocabularies = std::move(*vocabularies);
  return data;
}

Expected<std::unique_ptr<TrainingData>> TrainingData::readSamples(const attn_entry_info &entry,
                                                                  const DataOptions &options, EntryInputs inputs,
                                                                  const Vocabularies &vocabularies) {
  if (inputs.sampled().empty()) {
    if (Error error = options.checkNoData(entry))
      return std::move(error);
    return std::make_unique<NoSamples>(entry, std::move(inputs));
  }
  if (options.data.empty())
    return needsData(entry, inputs);
  if (options.data.size() == 1 && !StringRef(options.data[0]).contains('='))
    return widened(TokenSequence::read(entry, std::move(inputs), options.data[0], vocabularies, options.heldOut));
  return widened(Samples::read(entry, std::move(inputs), options.data, vocabularies, options.heldOut));
}

Error TrainingData::check(BatchShape shape, const InputRanges &ranges) const {
  if (places(shape, split) < 1)
    return createStringError(formatv("the data are too short: {0} {1} to train on, but a batch needs at least {2}",
                                     split, used(shape).unit(), 1 + split - places(shape, split)));
  if (Error error = fits(ranges))
    return error;
  if (shape.batch % accumulatedBatches() != 0)
    return createStringError(formatv("'{0}' accumulates {1} batches, but {2} rows are not a multiple of it", entry.name,
                                     accumulatedBatches(), shape.batch));
  return Error::success();
}

Error TrainingData::checkRoom(StringRef input, const Vocabulary &vocabulary, int64_t room) {
  if (room == 0 || vocabulary.size() <= room)
    return Error::success();
  bool isOfWords = vocabulary.kind() == Vocabulary::Kind::Words;
  return createStringError(formatv(
      "the vocabulary of '{0}' has {1} {2}, but the model has room for {3}{4}", input, vocabulary.size(),
      isOfWords ? "tokens" : "labels", room,
      isOfWords ? formatv("; {0}make the model's vocabulary larger",
                          vocabulary.tokenizerFile()
                              ? ""
                              : formatv("cut it by --vocab-size {0} when the model is trained, or ", room).str())
                      .str()
                : ""));
}

Error TrainingData::fits(const InputRanges &ranges) const {
  if (Error error = checkSamples(ranges))
    return error;
  return inputs.check(ranges, isAccumulated());
}

//===- Batches ----------------------------------------------------------------------------------------------------===//

/// Whether the number of rows is not a dimension of the entry point, but a number.
bool TrainingData::isOfFixedRows() const {
  return hasSamples() && attn_size_dimension(&inputs.sampled(0).shape[isAccumulated() ? 1 : 0]) < 0;
}

/// The inputs of a training step: if it accumulates batches, with a leading dimension that counts them.
std::vector<HostTensor> TrainingData::forStep(std::vector<HostTensor> all) const {
  for (auto [number, tensor] : enumerate(all))
    if (!inputs.isSampled(int32_t(number))) {
      tensor = repeatedFor(entry.tensors[number], std::move(tensor));
    } else if (isAccumulated()) {
      tensor.shape.front() /= accumulatedBatches();
      tensor.shape.insert(tensor.shape.begin(), accumulatedBatches());
    }
  return all;
}

Batch TrainingData::batch(BatchShape shape, uint64_t seed, int64_t step) const {
  std::vector<int64_t> starts;
  auto choices = double(places(shape, split));
  for (int64_t row = 0; row < used(shape).batch; ++row)
    starts.push_back(int64_t(attn_random_uniform(seed, orderStream, uint64_t(step * shape.batch + row)) * choices));
  return {forStep(complete(gather(shape, starts))), shape.batch};
}

std::optional<Batch> TrainingData::heldOutBatch(BatchShape shape, int64_t number) const {
  std::vector<int64_t> starts;
  int64_t first = number * shape.batch, last = std::min(first + shape.batch, rows(shape, count() - split));
  for (int64_t row = first; row < last; ++row)
    starts.push_back(split + row * stride(shape));
  auto size = int64_t(starts.size());
  if (starts.empty() || (size < shape.batch && isOfFixedRows()))
    return std::nullopt;
  return Batch{complete(gather(shape, starts)), size};
}

bool TrainingData::hasHeldOut(BatchShape shape) const {
  return rows(shape, count() - split) >= (isOfFixedRows() ? shape.batch : 1);
}

int64_t TrainingData::leftOut(BatchShape shape) const {
  return isOfFixedRows() ? rows(shape, count() - split) % shape.batch : 0;
}

} // namespace attnc
