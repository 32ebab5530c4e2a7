#include "frontends/tokenizer/PieceCache.h"

#include <algorithm>
#include <cstring>

namespace attnc::tokenizer {

/// A hash of the bytes of a piece, in groups of eight; the last group overlaps the one before it.
static uint32_t hashOf(std::string_view piece) {
  constexpr uint64_t factor = 0x9E3779B97F4A7C15;
  uint64_t hash = piece.size() * factor, group = 0;
  auto mix = [&] {
    hash = (hash ^ group) * factor;
    hash ^= hash >> 32;
  };
  size_t at = 0;
  for (; at + sizeof group <= piece.size(); at += sizeof group) {
    std::memcpy(&group, piece.data() + at, sizeof group);
    mix();
  }
  group = 0;
  if (piece.size() >= sizeof group) {
    std::memcpy(&group, piece.data() + piece.size() - sizeof group, sizeof group);
  } else {
    for (char byte : piece)
      group = group << 8 | uint8_t(byte);
  }
  mix();
  return uint32_t(hash ^ hash >> 29);
}

PieceCache::Slot &PieceCache::slotOf(std::string_view piece) {
  lastHash = hashOf(piece);
  for (size_t at = lastHash;; ++at) {
    Slot &slot = slots[at % slotCount];
    if (slot.keyBytes == 0 || (slot.hash == lastHash && slot.keyBytes == piece.size() &&
                               std::memcmp(keys.data() + slot.key, piece.data(), piece.size()) == 0))
      return slot;
  }
}

const std::span<const int32_t> *PieceCache::find(std::string_view piece) {
  lastSlot = &slotOf(piece);
  if (lastSlot->keyBytes == 0)
    return nullptr;
  found = std::span(ids).subspan(lastSlot->first, lastSlot->idCount);
  return &found;
}

void PieceCache::add(std::string_view piece, std::span<const int32_t> added) {
  if (piece.empty() || piece.size() > longestPiece || added.size() > UINT16_MAX)
    return;
  if (pieces == mostPieces) {
    std::ranges::fill(slots, Slot());
    keys.clear();
    ids.clear();
    pieces = 0;
    lastSlot = &slotOf(piece);
  }
  *lastSlot = {lastHash, uint32_t(keys.size()), uint32_t(ids.size()), uint16_t(piece.size()), uint16_t(added.size())};
  keys += piece;
  ids.insert(ids.end(), added.begin(), added.end());
  ++pieces;
}

} // namespace attnc::tokenizer
