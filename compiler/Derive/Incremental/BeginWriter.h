//===- BeginWriter.h - writer of next_begin: the part of a function that does not depend on positions -------------===//
//
// Writes next_begin for a function f (Incremental.h): the ops of f that depend neither on positions nor on lengths,
// with a result for each of their values that next reads (IncrementalPlan::given). A value that f computes in a loop
// becomes a per-iteration list.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/EntryPointWriter.h"

namespace attnc {

class BeginWriter : EntryPointWriter {
public:
  explicit BeginWriter(IncrementalPlan &plan) : EntryPointWriter(plan, plan.name + "_begin") {}
  void write(); ///< creates the whole function, in the module before f

private:
  void writeBlock(mlir::Block &block);
  void writeLoop(mlir::scf::ForOp loop);
  bool isPrecomputed(mlir::Value value);
  bool isIn(const RetainedValue &retained, mlir::scf::ForOp loop) { return llvm::is_contained(retained.loops, loop); }
  Port precomputedPort(const RetainedValue &given);

  /// One for each element of plan.given: its list, or, if it is in no loop, the value itself, null until it is
  /// computed.
  llvm::SmallVector<mlir::Value> lists;
};

} // namespace attnc
