//===- StoredBytes.h - update of the byte counts of decisions after narrowing -------------------------------------===//
//
// The decisions that the fuse phase records (Analysis/Decisions.h) count the bytes of tensors between kernels and of
// packed weights as f32. StoredBytes replaces these counts where the tensors are stored in 16 bits.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Narrow/StorageGroups.h"
#include <map>
#include <tuple>

namespace attnc {

/// The corrected counts. The caller counts each entry point before it changes types, then records the counts.
class StoredBytes {
public:
  /// `element` is the narrow type, bf16 or f16.
  explicit StoredBytes(mlir::FloatType element) : element(element) {}

  /// Counts the bytes of the narrow values of `entry`. The values and the names of kernels must still be those of the
  /// fuse phase.
  void count(mlir::func::FuncOp entry, const StorageGroups &groups);
  /// Updates the module's decisions about edges that are left between kernels, if their tensors are narrow. A decision
  /// about a narrow weight that is packed for a kernel is updated only if `isNarrowAlone(kernel)` is true: every call
  /// of the kernel has narrow operands or results.
  void record(mlir::ModuleOp module, llvm::function_ref<bool(llvm::StringRef kernel)> isNarrowAlone) const;

private:
  void countPacked(mlir::func::CallOp call, unsigned operand);

  mlir::FloatType element;
  using Edge = std::tuple<std::string, std::string, std::string, std::string>; ///< what, into, entry, bytes
  std::map<Edge, std::string> edgeBytes;
  std::map<std::pair<std::string, std::string>, std::string> weightBytes; ///< by weight and kernel
};

} // namespace attnc
