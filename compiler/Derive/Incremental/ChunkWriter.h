//===- ChunkWriter.h - writer of next and next_prefill: the positions of one call ---------------------------------===//
//
// Writes next or next_prefill, the entry points derived from f (Incremental.h): each op of f that depends on positions,
// restricted to the positions of the call. For row b and position i of the call, an op computes its element in f for
// position length[b] + i.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/ChunkOps.h"

namespace attnc {

class ChunkWriter : ChunkValues {
public:
  /// With `isStep` writes next, otherwise next_prefill.
  ChunkWriter(IncrementalPlan &plan, bool isStep) : ChunkValues(plan, isStep), ops(*this) {}
  void write(); ///< creates the whole function, in the module before f

private:
  Port chunkPort(mlir::Value value, std::string name);
  Port cachePort(const RetainedValue &cache);
  Port precomputedPort(const RetainedValue &given);
  Port lengthPort(llvm::StringRef name);
  Port tablePort();
  std::vector<mlir::model::DimensionAttr> dimensionsHere();
  void writeArguments();
  void writeBlock(mlir::Block &block);
  void writeLoop(mlir::scf::ForOp loop);
  mlir::Value startOf(mlir::scf::ForOp loop, unsigned number);
  void writeReturn();
  void append(mlir::Value value);
  unsigned cacheDim(const RetainedValue &cache);

  ChunkOps ops;
  llvm::SmallVector<mlir::Value> caches; ///< the latest value of each of plan.caches: the argument, or after an append
};

} // namespace attnc
