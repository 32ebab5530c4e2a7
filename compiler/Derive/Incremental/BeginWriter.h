//===- BeginWriter.h - what no position changes -------------------------------------------------------------------===//
//
// Writes next_begin: the ops of f that depend on no position, as they are, and for each value of theirs that next
// reads a result; one that is computed in a loop, as a list with an element for each turn.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/StageWriter.h"

namespace attnc {

class BeginWriter : StageWriter {
public:
  explicit BeginWriter(IncrementalPlan &plan) : StageWriter(plan, plan.name + "_begin") {}
  void write();

private:
  void writeBlock(mlir::Block &block);
  void writeLoop(mlir::scf::ForOp loop);
  bool isOfThisStage(mlir::Value value);
  bool isIn(const KeptValue &kept, mlir::scf::ForOp loop) { return llvm::is_contained(kept.loops, loop); }
  Port givenPort(const KeptValue &given);

  llvm::SmallVector<mlir::Value> lists; ///< of each given value: null until it is computed, if there are no loops
};

} // namespace attnc
