//===- StateLists.h - new values of module states in a training step ----------------------------------------------===//
//
// A state is set when the entry point returns. In a loop over modules, the new values of all iterations form a
// per-iteration list, which is a loop-carried value. In a nest of loops, an element of the outer list is the list of
// the inner loop. `depth` is the position of a loop among StateUpdate::loops.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Import/TensorImporter.h"

namespace attnc {

/// The updates of module states of one entry point, and their lists.
class StateLists {
public:
  StateLists(mlir::OpBuilder &builder, const ImportTypes &types, TensorImporter &tensors)
      : builder(builder), types(types), tensors(tensors) {}

  /// Replaces the updates by those of `entry`, without those in loops of no iterations.
  void beginEntry(const typed::Entry &entry);
  /// Returns the updates in a loop and in the loops inside of it.
  llvm::SmallVector<const typed::StateUpdate *> updatesIn(const typed::LoopCounter *counter) const;
  /// Creates a tensor.empty for the iterations of the loop at `depth` and of the loops inside of it.
  mlir::Value emptyList(const typed::StateUpdate &update, size_t depth, mlir::Location at);
  /// Returns the element that an iteration of the loop at `depth` adds to the list: the value, or the list of the loop
  /// inside.
  mlir::Value iterationValue(const typed::StateUpdate &update, size_t depth);
  /// Records the list that a loop has returned.
  void setList(const typed::StateUpdate *update, mlir::Value list) { lists[update] = list; }
  /// Creates the model.set of every state, after all statements of the entry point.
  void setStates();

private:
  mlir::OpBuilder &builder;
  const ImportTypes &types;
  TensorImporter &tensors;
  llvm::SmallVector<const typed::StateUpdate *> updates; ///< of the entry point
  llvm::DenseMap<const typed::StateUpdate *, mlir::Value> lists;
};

} // namespace attnc
