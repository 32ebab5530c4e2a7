//===- Slots.h - assignment of storages to arena slots by live range ----------------------------------------------===//
//
// The arena is a sequence of slots. Storages with disjoint live ranges reuse a slot. For some ops, a slot may also be
// divided into several slots side by side, which together need no more bytes than the slot:
//
//          bytes ─▶
//   op     | slot 0                                        | slot 1   |
//     1    | logits                                        | x        |
//     2    | slot 2: gradient of a  | slot 3: of b, then c |          |
//
//   bytes of a slot = align(max over its uses); a use by several slots needs their sum
//
// So a slot stays useful after its largest storage: while the logits are dead, all gradients of a training step may use
// their bytes. The assignment is optimised for typical dimensions; bytes and offsets are functions of the dimensions,
// and correct for all of them. The offset of a slot is the offset of the slot `behind` plus its bytes, otherwise that
// of `within`, otherwise 0 (EntryPlan::offset, and the addresses in Codegen/Host/ArenaSlots.cpp).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Memory/Storage.h"
#include <optional>

namespace attnc {

/// A range of the arena. In a list of slots, the slots within a slot follow it, use by use; those of one use are in the
/// order of their offsets.
struct Slot {
  SizeExpr bytes;                 ///< a multiple of the alignment
  std::optional<unsigned> within; ///< the enclosing slot, for one of its uses; null: the arena
  std::optional<unsigned> behind; ///< the slot at whose end it starts; null: at the start of `within`
};

/// The slots, and the slot of each storage.
struct SlotAssignment {
  std::vector<Slot> slots;
  std::vector<std::pair<unsigned, unsigned>> members; ///< pairs of a storage's and its slot's number, sorted by slot
};

/// Assigns each of `storages`, numbers in `table`, to a slot, in the order of their sizes, the largest first. A storage
/// goes to the first slot of the arena in which it fits without growth of any slot, otherwise to a new slot. Sizes are
/// compared for the symbol values `typical`, one for each symbol. Slots are aligned to `alignment` bytes.
SlotAssignment assignSlots(const StorageTable &table, llvm::ArrayRef<unsigned> storages,
                           llvm::ArrayRef<int64_t> typical, int64_t alignment);

} // namespace attnc
