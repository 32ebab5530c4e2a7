//===- Slots.h - which storages take turns in which part of the arena ---------------------------------------------===//
//
// The arena is a row of slots. Storages that share no step take turns in a slot, and so do several slots side by side
// that together need no more room than another turn of the slot:
//
//          bytes ─▶
//   step   | slot 0                                        | slot 1   |
//     1    | logits                                        | x        |
//     2    | slot 2: gradient of a  | slot 3: of b, then c |          |
//
//   bytes of a slot = align(max over its turns), of a turn of several slots = their sum
//
// So what a slot is good for does not end with its largest storage: while the logits are dead, all gradients of a step
// may lie where they were. Which storages meet where is chosen for typical dimensions; bytes and offsets are functions
// of the dimensions, and right for all of them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Memory/Storage.h"
#include <optional>

namespace attnc {

/// A part of the arena. Parts of a slot come behind it in the list, in the order in which they lie.
struct Slot {
  SizeExpr bytes;                 ///< aligned
  std::optional<unsigned> within; ///< the slot of which it is a part in one of the turns; absent: of the arena
  std::optional<unsigned> behind; ///< the slot at whose end it begins; absent: where `within` begins
};

struct SlotAssignment {
  std::vector<Slot> slots;
  std::vector<std::pair<unsigned, unsigned>> members; ///< storage and slot, by slot
};

/// Gives each of `storages` a slot: the largest for `typical` sizes first, where it fits without making any slot
/// larger, otherwise a slot of its own. Slots are aligned to `alignment` bytes.
SlotAssignment assignSlots(const StorageTable &table, llvm::ArrayRef<unsigned> storages,
                           llvm::ArrayRef<int64_t> typical, int64_t alignment);

} // namespace attnc
