#include "tools/attnc/Data/SampleRows.h"
#include "tools/attnc/Call/TypeText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace llvm;

namespace attnc {

Expected<SampleRows> SampleRows::read(StringRef name, StringRef path, const Vocabularies &vocabularies) {
  auto vocabulary = vocabularies.forFile(name, path);
  if (!vocabulary)
    return vocabulary.takeError();
  auto tensor = readTensor(path.str(), *vocabulary);
  if (!tensor)
    return tensor.takeError();
  if (tensor->shape.empty())
    return createStringError(
        formatv("{0}: is one number, expected a tensor whose first dimension counts samples", path));
  SampleRows rows;
  rows.tensor = std::move(*tensor);
  rows.source = path.str();
  rows.areCharacters = attnc::isText(path);
  rows.words = *vocabulary;
  return rows;
}

//===- Offsets ----------------------------------------------------------------------------------------------------===//

Error SampleRows::readOffsets(StringRef path) {
  if (isOfLines())
    return createStringError(formatv("{0}: has offsets for {1}, whose rows are lines", path, source));
  auto read = readTensor(path.str());
  if (!read)
    return read.takeError();
  if (read->dtype != ATTN_I32 || read->shape.size() != 1 || read->count() < 1)
    return createStringError(formatv("{0}: found {1}, expected integers i32[rows + 1]", path, attnc::typeText(*read)));
  offsets.assign(read->integers(), read->integers() + read->count());
  offsetsSource = path.str();
  return checkOffsets(path);
}

Error SampleRows::checkOffsets(StringRef path) const {
  if (offsets.front() != 0)
    return createStringError(formatv("{0}: element 0 is {1}, expected 0, the start of row 0", path, offsets.front()));
  for (size_t row = 1; row < offsets.size(); ++row)
    if (offsets[row] < offsets[row - 1])
      return createStringError(formatv("{0}: element {1} is {2}, below element {3}, which is {4}", path, row,
                                       offsets[row], row - 1, offsets[row - 1]));
  if (offsets.back() != tensor.shape.front())
    return createStringError(formatv("{0}: the last element is {1}, expected {2}, the first size of {3}", path,
                                     offsets.back(), tensor.shape.front(), source));
  return Error::success();
}

//===- Rows -------------------------------------------------------------------------------------------------------===//

std::optional<int64_t> SampleRows::size(int32_t d) const {
  if (d == 0 || (d == 1 && isRagged()))
    return std::nullopt;
  return tensor.shape[size_t(d - isDivided())];
}

std::string SampleRows::typeText() const { return attnc::typeText(tensor) + (isDivided() ? " with offsets" : ""); }

std::string SampleRows::placeOf(int64_t row) const {
  return isOfLines() ? formatv("{0}:{1}", source, row + 1).str() : formatv("row {0} of {1}", row, source).str();
}

int64_t SampleRows::length(int64_t row) const {
  if (isDivided())
    return offsets[size_t(row) + 1] - offsets[size_t(row)];
  const int32_t *first = tensor.integers() + row * tensor.shape.back();
  return std::find(first, first + tensor.shape.back(), padding()) - first;
}

Error SampleRows::checkCharacters(int64_t room) const {
  for (int64_t at = 0; at < tensor.count(); ++at)
    if (int32_t point = tensor.integers()[at]; point >= room)
      return createStringError(formatv("{0}: has the character '{1}' of the code point {2}, outside of the "
                                       "vocabulary of {3}",
                                       placeOf(at / tensor.shape.back()), character(point), point, room));
  return Error::success();
}

HostTensor SampleRows::gather(ArrayRef<int64_t> rows, int64_t width) const {
  std::vector<int64_t> sizes = tensor.shape;
  if (isDivided())
    sizes.insert(sizes.begin(), 0);
  sizes.front() = int64_t(rows.size());
  if (isRagged())
    sizes[1] = width;
  HostTensor batch(tensor.dtype, sizes);
  if (padding() != 0)
    std::fill_n(batch.integers(), batch.count(), padding());
  size_t element = tensor.shape.front() == 0 ? 0 : tensor.bytes.size() / size_t(tensor.shape.front());
  size_t to = batch.bytes.size() / std::max<size_t>(rows.size(), 1);
  for (auto [place, row] : enumerate(rows)) {
    int64_t first = isDivided() ? offsets[size_t(row)] : row, count = isDivided() ? length(row) : 1;
    std::copy_n(tensor.bytes.begin() + first * int64_t(element), std::min(size_t(count) * element, to),
                batch.bytes.begin() + int64_t(place * to));
  }
  return batch;
}

uint64_t SampleRows::fingerprint(uint64_t hash) const {
  auto add = [&](ArrayRef<char> bytes) {
    ArrayRef values(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
    hash = hash * 0x9E3779B97F4A7C15 + xxh3_64bits(values);
  };
  add(tensor.bytes);
  if (isDivided())
    add({reinterpret_cast<const char *>(offsets.data()), offsets.size() * sizeof(int32_t)});
  return hash;
}

} // namespace attnc
