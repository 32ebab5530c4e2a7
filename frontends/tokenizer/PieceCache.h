//===- PieceCache.h - the ids of pieces that were encoded before --------------------------------------------------===//
//
// Most pieces of a text are words that occur again and again. The cache is a hash table with open addressing; keys and
// ids are in two arrays. A full cache is emptied.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnc::tokenizer {

class PieceCache {
public:
  static constexpr size_t longestPiece = 128; ///< in bytes; longer pieces are not cached

  PieceCache() : slots(slotCount) {}
  /// The ids of a piece; null if it is not in the cache. The span is valid until the next add().
  const std::span<const int32_t> *find(std::string_view piece);
  /// Adds a piece that find() has just not found.
  void add(std::string_view piece, std::span<const int32_t> ids);

private:
  static constexpr size_t slotCount = 1 << 16, mostPieces = slotCount / 2;
  struct Slot {
    uint32_t hash = 0, key = 0, first = 0; ///< hash of the key; start of the key and of the ids
    uint16_t keyBytes = 0, idCount = 0;    ///< keyBytes is 0 in an empty slot
  };
  Slot &slotOf(std::string_view piece);

  std::vector<Slot> slots;
  std::string keys;
  std::vector<int32_t> ids;
  size_t pieces = 0;
  uint32_t lastHash = 0;
  Slot *lastSlot = nullptr; ///< where find() stopped
  std::span<const int32_t> found;
};

} // namespace attnc::tokenizer
