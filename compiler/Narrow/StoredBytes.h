//===- StoredBytes.h - byte counts of decisions after narrowing ---------------------------------------------------===//
//
// The fuse phase recorded bytes of f32 for tensors between kernels and for packed weights (Fuse/Explanation.h). This
// corrects them for narrow storage.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Narrow/StorageGroups.h"
#include <map>
#include <tuple>

namespace attnc {

class StoredBytes {
public:
  explicit StoredBytes(mlir::FloatType element) : element(element) {}

  /// Counts narrow values of an entry point whose values and kernels are still those of the fuse phase.
  void count(mlir::func::FuncOp entry, const StorageGroups &groups);
  /// Updates the module's decisions: those about edges, and those about weights packed for a kernel of which
  /// `isNarrowAlone` returns that each of its calls reads narrow tensors.
  void record(mlir::ModuleOp module, llvm::function_ref<bool(llvm::StringRef kernel)> isNarrowAlone) const;

private:
  void countPacked(mlir::func::CallOp call, unsigned operand);

  mlir::FloatType element;
  using Edge = std::tuple<std::string, std::string, std::string, std::string>; ///< what, into, entry, bytes
  std::map<Edge, std::string> edgeBytes;
  std::map<std::pair<std::string, std::string>, std::string> weightBytes; ///< by weight and kernel
};

} // namespace attnc
