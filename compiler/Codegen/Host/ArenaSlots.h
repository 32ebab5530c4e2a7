//===- ArenaSlots.h - addresses of the arena's slots in a host function -------------------------------------------===//
//
// The offset of a slot is a function of the dimensions, with maxima, divisions and the scratch of kernels. All offsets
// are computed once a call, by a function of their own that stores the addresses in an array on the caller's stack:
//
//   gpt_train_slots(arena, dimension 0, dimension 1, ..., workers, addresses);        internal, never inlined
//   ...
//   launch(..., addresses[7], ...);
//
// If they were computed in the host function, LLVM's analyses of its loops would follow each address through the whole
// expression: a tenth of the compile time of a large training step.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/HostFunction.h"
#include "compiler/Memory/Plan.h"

namespace attnc {

class ArenaSlots {
public:
  /// Emits the function `symbol` and its call at the insertion point of `host`; neither if all offsets are constant.
  /// `symbols` are the values (index) of the plan's symbols.
  ArenaSlots(HostFunction &host, const EntryPlan &plan, const std::string &symbol, mlir::Value arena,
             llvm::ArrayRef<mlir::Value> symbols);

  /// Emits the address of a slot.
  mlir::Value address(unsigned slot);

private:
  void emitFunction(const EntryPlan &plan, const std::string &symbol);

  HostFunction &host;
  mlir::Value arena, addresses;
  std::vector<SizeExpr> offsets;                 ///< of each slot
  std::vector<std::optional<unsigned>> elements; ///< of each slot, in `addresses`; null: the offset is constant
  unsigned count = 0;                            ///< of elements
};

} // namespace attnc
