//===- ArenaSlots.h - addresses of the arena's slots in a host function -------------------------------------------===//
//
// The arena is the memory of one call of an entry point; the memory plan assigns slots of it to values and to scratch.
// The offset of a slot is a function of the dimensions, with maxima, divisions and the scratch of kernels. A separate
// function computes all offsets that are not constant, once a call of `run` (HostCode.h). It stores the addresses in an
// array on the stack of `run`:
//
//   gpt_train_slots(arena, dimension 0, dimension 1, ..., workers, addresses);        internal, never inlined
//   ...
//   launch(..., addresses[7], ...);
//
// If `run` computed the offsets itself, LLVM's analyses of its loops would follow each address through the whole
// expression: a tenth of the compile time of a large training step.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Host/HostFunction.h"
#include "compiler/Memory/Plan.h"

namespace attnc {

class ArenaSlots {
public:
  /// Emits the function `symbol`, internal to the object, and its call at the insertion point of `host`; neither if all
  /// offsets are constant. `arena` (!llvm.ptr) is the address of the arena. `symbols` are the values (index) of all of
  /// `plan.symbols`: the dimensions of the entry point, then the number of workers. `host` outlives this object.
  ArenaSlots(HostFunction &host, const EntryPlan &plan, const std::string &symbol, mlir::Value arena,
             llvm::ArrayRef<mlir::Value> symbols);

  /// Emits the address (!llvm.ptr) of slot number `slot` of the plan, at the insertion point of `host`, which the
  /// constructor's insertion point dominates.
  mlir::Value address(unsigned slot);

private:
  void emitFunction(const EntryPlan &plan, const std::string &symbol);

  HostFunction &host;
  mlir::Value arena, addresses;
  std::vector<SizeExpr> offsets;                 ///< of each slot, in bytes
  std::vector<std::optional<unsigned>> elements; ///< of each slot, in `addresses`; null: the offset is constant
  unsigned count = 0;                            ///< number of elements of `addresses`
};

} // namespace attnc
