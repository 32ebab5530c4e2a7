//===- StorageGroups.h - groups of values with one storage type ---------------------------------------------------===//
//
// Partitions the f32 tensors of an entry point into groups that must have the same storage type, and records for each
// whether it must stay f32.
//
// Kernels compute. Every other op between kernels moves or stores elements, so its operands and results form one group.
// Loops have a group for each carried value.
//
//   %y = call @gemm_0(%x, %w)              a group each
//   %l = model.with_element %y into %l0    one group of three tensors
//   %v = tensor.expand_shape %y            one group of two
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Narrow/Narrow.h"
#include "dialects/Model/Model.h"
#include "llvm/ADT/IntEqClasses.h"

namespace attnc {

/// Sets of at least two f32 tensors between which an op outside of kernels moves elements.
llvm::SmallVector<llvm::SmallVector<mlir::Value>> sharedStorageSets(mlir::Operation *op);

class StorageGroups {
public:
  explicit StorageGroups(mlir::func::FuncOp entry);

  /// Whether the value is an f32 tensor of this entry point in a group.
  bool contains(mlir::Value value) const { return numbers.contains(value); }
  /// Requires f32 for the group of `value`, if it has one; the first reason is recorded.
  void keep(mlir::Value value, const std::string &reason);
  bool isNarrow(mlir::Value value) const { return contains(value) && reasons[groupOf(value)].empty(); }

  bool areInOneGroup(mlir::Value a, mlir::Value b) const {
    return contains(a) && contains(b) && groupOf(a) == groupOf(b);
  }

  llvm::ArrayRef<mlir::Value> values() const { return members; } ///< all values in groups, in program order
  /// The choice for each group that contains a weight, an argument or a result of a kernel, in program order.
  std::vector<StorageChoice> choices() const;

private:
  void number(mlir::Value value);
  void join(mlir::ValueRange values);
  void keepInterface();
  void keepCarried();
  void keepWeights();
  unsigned groupOf(mlir::Value value) const { return groups[numbers.lookup(value)]; }
  std::string nameOf(mlir::Value value, StorageChoice::Kind &kind) const;

  mlir::func::FuncOp entry;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::SmallVector<mlir::Value> members; ///< by number
  llvm::IntEqClasses groups;
  std::vector<std::string> reasons; ///< by group; empty if it may be narrow
};

} // namespace attnc
