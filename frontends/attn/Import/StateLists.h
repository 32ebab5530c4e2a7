//===- StateLists.h - new values of module states in a training step ----------------------------------------------===//
//
// A state is set when the entry point returns. In a loop over modules, the new values of all iterations form a list,
// which is a carried value of the loop.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Import/TensorImporter.h"

namespace attnc {

class StateLists {
public:
  StateLists(mlir::OpBuilder &builder, const ImportTypes &types, TensorImporter &tensors)
      : builder(builder), types(types), tensors(tensors) {}

  void beginEntry(const typed::Entry &entry);
  /// The updates in a loop and in the loops inside of it.
  llvm::SmallVector<const typed::StateUpdate *> updatesIn(const typed::LoopCounter *counter) const;
  /// An empty list for the iterations of the loop at `depth` and of the loops inside of it.
  mlir::Value emptyList(const typed::StateUpdate &update, size_t depth, mlir::Location at);
  /// The result of an iteration of the loop at `depth`: the value, or the list of the loop inside of it.
  mlir::Value iterationValue(const typed::StateUpdate &update, size_t depth);
  void setList(const typed::StateUpdate *update, mlir::Value list) { lists[update] = list; }
  void setStates();

private:
  mlir::OpBuilder &builder;
  const ImportTypes &types;
  TensorImporter &tensors;
  llvm::SmallVector<const typed::StateUpdate *> updates; ///< of the entry point
  llvm::DenseMap<const typed::StateUpdate *, mlir::Value> lists;
};

} // namespace attnc
