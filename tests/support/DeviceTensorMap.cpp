#include "tests/support/DeviceTensorMap.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <vector>

namespace attnc {

namespace {

constexpr size_t unit = 16;

/// Returns the bit of a field in DeviceTensorMap::written.
unsigned bitOf(DeviceTensorMap::Field field, size_t dimension) {
  using Field = DeviceTensorMap::Field;
  constexpr std::array<Field, 4> perDimension = {Field::Box, Field::Size, Field::Stride, Field::ElementStride};
  auto found = std::find(perDimension.begin(), perDimension.end(), field);
  if (found == perDimension.end())
    return static_cast<unsigned>(field);
  size_t before = static_cast<size_t>(found - perDimension.begin()) * DeviceTensorMap::mostDimensions;
  return static_cast<unsigned>(10 + before + dimension);
}

} // namespace

uint32_t nearestTf32(uint32_t bits) {
  bool isFinite = (bits & 0x7f800000u) != 0x7f800000u;
  return isFinite ? (bits + 0x1000u) & 0xffffe000u : bits;
}

void DeviceTensorMap::set(Field field, size_t dimension, uint64_t value) {
  auto narrow = [&](auto &place) { place = static_cast<std::remove_reference_t<decltype(place)>>(value); };
  switch (field) {
  case Field::Address:
    narrow(address);
    break;
  case Field::Rank:
    narrow(rank);
    break;
  case Field::Box:
    narrow(box[dimension]);
    break;
  case Field::Size:
    narrow(sizes[dimension]);
    break;
  case Field::Stride:
    narrow(strides[dimension]);
    break;
  case Field::ElementStride:
    narrow(elementStrides[dimension]);
    break;
  case Field::ElementType:
    narrow(elementType);
    break;
  case Field::Interleave:
    narrow(interleave);
    break;
  case Field::Swizzle:
    narrow(swizzle);
    break;
  case Field::Fill:
    narrow(fill);
    break;
  }
  written |= uint32_t(1) << bitOf(field, dimension);
}

bool DeviceTensorMap::isWhole() const {
  uint32_t expected = 0;
  for (Field field : {Field::Address, Field::Rank, Field::ElementType, Field::Interleave, Field::Swizzle, Field::Fill})
    expected |= uint32_t(1) << bitOf(field, 0);
  for (size_t dimension = 0; dimension < dimensions(); ++dimension) {
    for (Field field : {Field::Box, Field::Size, Field::ElementStride})
      expected |= uint32_t(1) << bitOf(field, dimension);
    if (dimension + 1 < dimensions())
      expected |= uint32_t(1) << bitOf(Field::Stride, dimension);
  }
  return written == expected;
}

std::string DeviceTensorMap::check() const {
  if (std::any_of(rest.begin(), rest.end(), [](uint8_t byte) { return byte != 0; }))
    return "a tensor map that was not cleared";
  if (dimensions() > mostDimensions)
    return fmt::format("a tensor map of {} dimensions", dimensions());
  if (!isWhole())
    return "a tensor map of which fields are missing, or too many";
  if ((elementType > 2 && !roundsToTf32()) || interleave != 0 || fill != 0)
    return "a tensor map that the model does not support";
  if (address % unit != 0)
    return "a tensor map whose address is no multiple of 16";
  if (swizzle < 1 || swizzle > 3 || rowBytes() != exchangedBytes())
    return fmt::format("a tensor map with rows of {} bytes, whose exchange is of {}", rowBytes(), exchangedBytes());
  for (size_t dimension = 0; dimension < dimensions(); ++dimension) {
    if (box[dimension] < 1 || box[dimension] > 256 || sizes[dimension] < 1 || elementStrides[dimension] != 1)
      return fmt::format("a tensor map with {} of {} elements", box[dimension], sizes[dimension]);
    if (dimension + 1 < dimensions() && (strides[dimension] % unit != 0 || strides[dimension] >> 40 != 0))
      return fmt::format("a tensor map with a stride of {} bytes", strides[dimension]);
  }
  return "";
}

size_t DeviceTensorMap::bytes() const {
  size_t product = elementBytes();
  for (size_t dimension = 0; dimension < dimensions(); ++dimension)
    product *= box[dimension];
  return product;
}

void DeviceTensorMap::copy(std::span<const int32_t> coordinates, char *to) const {
  size_t rows = bytes() / rowBytes();
  std::vector<int64_t> first(coordinates.begin(), coordinates.end());
  for (size_t row = 0; row < rows; ++row) {
    copyRow(first, to + row * rowBytes());
    for (size_t dimension = 1; dimension < dimensions(); ++dimension) {
      if (++first[dimension] < coordinates[dimension] + int64_t(box[dimension]))
        break;
      first[dimension] = coordinates[dimension];
    }
  }
}

void DeviceTensorMap::copyRow(std::span<const int64_t> first, char *to) const {
  auto isInside = [&](size_t dimension, int64_t at) { return at >= 0 && at < int64_t(sizes[dimension]); };
  bool isRow = true;
  uint64_t from = address;
  for (size_t dimension = 1; dimension < dimensions(); ++dimension) {
    isRow &= isInside(dimension, first[dimension]);
    from += static_cast<uint64_t>(first[dimension]) * strides[dimension - 1];
  }
  for (size_t each = 0; each < box[0]; ++each) {
    int64_t at = first[0] + static_cast<int64_t>(each);
    auto place = reinterpret_cast<uintptr_t>(to) + each * elementBytes();
    // Swizzle as in SharedMatrix (DeviceProducts.cpp): the row in the address permutes its 16-byte vectors.
    auto *exchanged = reinterpret_cast<char *>(place ^ ((place >> 7 & (exchangedBytes() / unit - 1)) << 4));
    if (!isRow || !isInside(0, at)) {
      std::memset(exchanged, 0, elementBytes());
      continue;
    }
    std::memcpy(exchanged, reinterpret_cast<const char *>(from) + at * static_cast<int64_t>(elementBytes()),
                elementBytes());
    if (!roundsToTf32())
      continue;
    uint32_t word;
    std::memcpy(&word, exchanged, sizeof word);
    word = nearestTf32(word);
    std::memcpy(exchanged, &word, sizeof word);
  }
}

} // namespace attnc
