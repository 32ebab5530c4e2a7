//===- DeviceTensorMap.h - tensor maps of TMA copies --------------------------------------------------------------===//
//
// Part of the simulator of thread blocks (DeviceBlock.h). A tensor map is 128 bytes that describe a tensor in global
// memory. Only these instructions read and write the map: tensormap.replace sets a field in shared memory,
// tensormap.cp_fenceproxy copies the map to global memory and releases it, a fence acquires the released map, and TMA
// copies use it. The layout of the fields is specific to this simulator; bytes that no instruction writes must be zero.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace attnc {

/// Rounds the bits of an f32 to the nearest tf32, which has a fraction of ten bits, with halves away from zero.
/// Preserves NaN. The result has the bits of an f32.
uint32_t nearestTf32(uint32_t bits);

/// The content of a tensor map; an object of this class lies at the map's address.
class DeviceTensorMap {
public:
  static constexpr size_t size = 128, mostDimensions = 5;
  enum class Field { Address, Rank, Box, Size, Stride, ElementStride, ElementType, Interleave, Swizzle, Fill };

  /// Sets a field, of the dimension `dimension` if the field has several.
  void set(Field field, size_t dimension, uint64_t value);

  /// Returns the reason why the map is invalid; empty if it is valid.
  std::string check() const;
  size_t dimensions() const { return rank + size_t(1); } ///< number of dimensions of the tensor
  /// The bytes of a box. This function and copy() require a valid map.
  size_t bytes() const;
  /// Copies the box at `coordinates`, one for each dimension, the innermost first, to `to`, bytes() bytes with the
  /// swizzle of 16-byte vectors. Elements outside of the tensor become zero.
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
  uint32_t written; ///< one bit for each field, or dimension of a field
  std::array<uint8_t, mostDimensions> elementStrides;
  uint8_t rank, elementType, interleave, swizzle, fill;
  std::array<uint8_t, 34> rest;
};
static_assert(sizeof(DeviceTensorMap) == DeviceTensorMap::size);

/// Released maps in global memory, with their contents at the release.
using ReleasedMaps = std::map<const char *, DeviceTensorMap>;

} // namespace attnc
