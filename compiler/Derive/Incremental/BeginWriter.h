//===- BeginWriter.h - writer of next_begin: the part of a function that no position changes ----------------------===//
//
// Writes next_begin: the ops of f that do not depend on positions, with a result for each of their values that next
// reads. A value computed in a loop becomes a per-iteration list.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/EntryPointWriter.h"

namespace attnc {

class BeginWriter : EntryPointWriter {
public:
  explicit BeginWriter(IncrementalPlan &plan) : EntryPointWriter(plan, plan.name + "_begin") {}
  void write(); ///< creates the whole function

private:
  void writeBlock(mlir::Block &block);
  void writeLoop(mlir::scf::ForOp loop);
  bool isPrecomputed(mlir::Value value);
  bool isIn(const RetainedValue &retained, mlir::scf::ForOp loop) { return llvm::is_contained(retained.loops, loop); }
  Port precomputedPort(const RetainedValue &given);

  llvm::SmallVector<mlir::Value> lists; ///< by precomputed value: null until it is computed, if there are no loops
};

} // namespace attnc
