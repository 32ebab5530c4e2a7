//===- DeviceTensorMap.h - the maps by which a device copies tiles by itself --------------------------------------===//
//
// A tensor map is 128 bytes that only instructions read and write: tensormap.replace a field of one in shared memory,
// tensormap.cp_fenceproxy takes it to global memory and releases it, a fence acquires it there, and copies use it. What
// the fields look like is this model's affair; bytes that no instruction writes have to be zero.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace attnc {

/// The nearest number of ten bits, halves away from zero; NaN stays.
uint32_t nearestTf32(uint32_t bits);

class DeviceTensorMap {
public:
  static constexpr size_t size = 128, mostDimensions = 5;
  enum class Field { Address, Rank, Box, Size, Stride, ElementStride, ElementType, Interleave, Swizzle, Fill };

  /// Of a dimension, where the field has several.
  void set(Field field, size_t dimension, uint64_t value);

  /// What is wrong with it, or nothing.
  std::string check() const;
  size_t dimensions() const { return rank + size_t(1); }
  /// Of a box; the rest is for maps that passed the check.
  size_t bytes() const;
  /// The box that begins at the coordinates, with its units exchanged, at `to`.
  void copy(std::span<const int32_t> coordinates, char *to) const;

private:
  bool roundsToTf32() const { return elementType == tf32Type; }
  size_t elementBytes() const { return roundsToTf32() ? 4 : size_t(1) << elementType; }
  size_t rowBytes() const { return box[0] * elementBytes(); }
  size_t exchangedBytes() const { return swizzle == 0 ? 16 : size_t(16) << swizzle; }
  static constexpr uint8_t tf32Type = 11;
  bool isWhole() const;
  void copyRow(std::span<const int64_t> first, char *to) const;

  uint64_t address;
  std::array<uint64_t, mostDimensions> strides;
  std::array<uint32_t, mostDimensions> sizes;
  std::array<uint16_t, mostDimensions> box;
  uint32_t written; ///< a bit a field, or a dimension of one
  std::array<uint8_t, mostDimensions> elementStrides;
  uint8_t rank, elementType, interleave, swizzle, fill;
  std::array<uint8_t, 34> rest;
};
static_assert(sizeof(DeviceTensorMap) == DeviceTensorMap::size);

/// Maps in global memory, as they were when they were released.
using ReleasedMaps = std::map<const char *, DeviceTensorMap>;

} // namespace attnc
