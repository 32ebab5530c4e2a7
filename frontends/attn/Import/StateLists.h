//===- StateLists.h - new values of module states in a training step ----------------------------------------------===//
//
// A statement `state <- value` sets a state of a module when the training step returns (typed::StateUpdate). In a loop
// over the modules of a list, the new values of all iterations form a per-iteration list: a loop-carried tensor, to
// which each iteration writes its element. In a nest of loops, an element of the outer list is the list of the inner
// loop. `depth` is the position of a loop among StateUpdate::loops, 0 for the outermost one.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Import/TensorImporter.h"

namespace attnc {

/// The updates of module states of the entry point that is being imported, and their lists. StatementImporter creates
/// the loops.
class StateLists {
public:
  StateLists(mlir::OpBuilder &builder, const ImportTypes &types, TensorImporter &tensors)
      : builder(builder), types(types), tensors(tensors) {}

  /// Starts an entry point: takes its updates, without those in loops of no iterations.
  void beginEntry(const typed::Entry &entry);
  /// Returns the updates in the loop with that counter, also those in loops inside of it.
  llvm::SmallVector<const typed::StateUpdate *> updatesIn(const typed::LoopCounter *counter) const;
  /// Creates the initial value of the list of the loop at `depth`, a tensor.empty. Its leading dimensions are the
  /// counts of this loop and of the loops inside of it; the others are those of the state.
  mlir::Value emptyList(const typed::StateUpdate &update, size_t depth, mlir::Location at);
  /// Returns the element that an iteration of the loop at `depth` writes to the list: the new value of the state, or
  /// the list of the next inner loop, which setList has recorded before.
  mlir::Value iterationValue(const typed::StateUpdate &update, size_t depth);
  /// Records the list that a loop has returned, its result.
  void setList(const typed::StateUpdate *update, mlir::Value list) { lists[update] = list; }
  /// Creates the model.set of every state, in loops for lists, at the insertion point: after all statements of the
  /// entry point.
  void setStates();

private:
  mlir::OpBuilder &builder;
  const ImportTypes &types;
  TensorImporter &tensors;
  llvm::SmallVector<const typed::StateUpdate *> updates; ///< of the entry point
  llvm::DenseMap<const typed::StateUpdate *, mlir::Value> lists;
};

} // namespace attnc
