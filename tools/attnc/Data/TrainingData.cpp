#include "tools/attnc/Data/TrainingData.h"
#include "attn/random.h"
#include "tools/attnc/Data/Samples.h"
#include "tools/attnc/Data/TokenSequence.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace attnc {

/// The stream of the draws that determine the order of data.
static constexpr uint64_t orderStream = 0x6f72646572; // "order"

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

TrainingData::~TrainingData() = default;

template <class Data> static Expected<std::unique_ptr<TrainingData>> widened(Expected<std::unique_ptr<Data>> data) {
  if (!data)
    return data.takeError();
  return std::move(*data);
}

Expected<std::unique_ptr<TrainingData>> TrainingData::read(const attn_entry_info &entry,
                                                           const std::vector<std::string> &places, double heldOut) {
  if (!(heldOut >= 0 && heldOut <= 1)) // NaN is rejected, too
    return createStringError(formatv("the held-out fraction must be from 0 to 1, found {0}", heldOut));
  if (places.size() == 1 && !StringRef(places[0]).contains('='))
    return widened(TokenSequence::read(entry, places[0], heldOut));
  return widened(Samples::read(entry, places, heldOut));
}

Error TrainingData::check(BatchShape shape, const InputRanges &ranges) const {
  if (places(shape, split) < 1)
    return createStringError(formatv("the data are too short: {0} {1} to train on, but a batch needs at least {2}",
                                     split, unit(), 1 + split - places(shape, split)));
  return fits(ranges);
}

//===- Batches ----------------------------------------------------------------------------------------------------===//

/// Whether the number of rows is not a dimension of the entry point, but a number.
bool TrainingData::isOfFixedRows() const { return attn_size_dimension(&entry.tensors[0].shape[accumulated()]) < 0; }

std::vector<HostTensor> TrainingData::batch(BatchShape shape, uint64_t seed, int64_t step) const {
  std::vector<int64_t> starts;
  auto choices = double(places(shape, split));
  for (int64_t row = 0; row < shape.batch; ++row)
    starts.push_back(int64_t(attn_random_uniform(seed, orderStream, uint64_t(step * shape.batch + row)) * choices));
  return gather(shape, starts);
}

std::vector<HostTensor> TrainingData::heldOutBatch(BatchShape shape, int64_t number) const {
  std::vector<int64_t> starts;
  int64_t first = number * shape.batch, last = std::min(first + shape.batch, rows(shape, heldOutCount()));
  for (int64_t row = first; row < last; ++row)
    starts.push_back(split + row * stride(shape));
  bool isWhole = int64_t(starts.size()) == shape.batch || !isOfFixedRows();
  return starts.empty() || !isWhole ? std::vector<HostTensor>() : gather(shape, starts);
}

int64_t TrainingData::leftOut(BatchShape shape) const {
  return isOfFixedRows() ? rows(shape, heldOutCount()) % shape.batch : 0;
}

} // namespace attnc
