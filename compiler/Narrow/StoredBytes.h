//===- StoredBytes.h - the bytes of tensors and weights that became narrow --------------------------------------===//
//
// What fuse recorded of tensors between kernels, and of packed weights, counts the bytes of f32 (Analysis/Decisions.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Narrow/StorageGroups.h"
#include <map>
#include <tuple>

namespace attnc {

class StoredBytes {
public:
  explicit StoredBytes(mlir::FloatType element) : element(element) {}

  /// Counts what is narrow of an entry point, whose values and kernels are still those of fuse.
  void count(mlir::func::FuncOp entry, const StorageGroups &groups);
  /// Says so in the module's decisions. Of weights, where all readers of that kernel are among what was counted.
  void record(mlir::ModuleOp module, llvm::function_ref<bool(llvm::StringRef kernel)> isNarrowAlone) const;

private:
  void countPacked(mlir::func::CallOp call, unsigned operand);

  mlir::FloatType element;
  using Edge = std::tuple<std::string, std::string, std::string, std::string>; ///< what, into, entry, bytes
  std::map<Edge, std::string> bytesOfEdges;
  std::map<std::pair<std::string, std::string>, std::string> bytesOfWeights; ///< by what and into
};

} // namespace attnc
