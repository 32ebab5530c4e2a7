//===- ChunkWriter.h - writer of next and next_prefill: the positions of one call ---------------------------------===//
//
// Writes next or next_prefill: each op of f that depends on positions, restricted to the positions of the call. At
// position i an op computes what it computes in f at position length[b] + i.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/ChunkOps.h"

namespace attnc {

class ChunkWriter : ChunkValues {
public:
  ChunkWriter(IncrementalPlan &plan, bool isStep) : ChunkValues(plan, isStep), ops(*this) {}
  void write(); ///< creates the whole function

private:
  Port chunkPort(mlir::Value value, std::string name);
  Port cachePort(const RetainedValue &cache);
  Port precomputedPort(const RetainedValue &given);
  Port lengthPort(llvm::StringRef name);
  void writeArguments();
  void writeBlock(mlir::Block &block);
  void writeLoop(mlir::scf::ForOp loop);
  mlir::Value startOf(mlir::scf::ForOp loop, unsigned number);
  void writeReturn();
  void append(mlir::Value value);
  unsigned cacheDim(const RetainedValue &cache);

  ChunkOps ops;
  llvm::SmallVector<mlir::Value> caches; ///< current value of each cache
};

} // namespace attnc
