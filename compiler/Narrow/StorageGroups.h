//===- StorageGroups.h - values that have one type because they share memory --------------------------------------===//
//
// The f32 tensors of one entry point, in groups; each knows what of it has to stay f32 whatever calls it.
//
// Kernels compute. Any other op between them moves elements or holds them, so the tensors that it reads and those that
// it gives are one group, whichever op it is. Loops have a group for each value that they carry.
//
//   %y = call @gemm_0(%x, %w)              a group each
//   %l = model.with_element %y into %l0    one group of three tensors
//   %v = tensor.expand_shape %y            one of two
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Narrow/Narrow.h"
#include "dialects/Model/Model.h"
#include "llvm/ADT/IntEqClasses.h"

namespace attnc {

/// Sets of f32 tensors, at least two in each, of which an op between kernels puts elements of one into another.
llvm::SmallVector<llvm::SmallVector<mlir::Value>> heldTogether(mlir::Operation *op);

class StorageGroups {
public:
  explicit StorageGroups(mlir::func::FuncOp entry);

  /// Whether it is a tensor of f32 of this entry point, and belongs to a group.
  bool contains(mlir::Value value) const { return numbers.contains(value); }
  /// The first reason is kept.
  void keep(mlir::Value value, const std::string &reason);
  bool isNarrow(mlir::Value value) const { return contains(value) && reasons[groupOf(value)].empty(); }

  bool areOne(mlir::Value a, mlir::Value b) const { return contains(a) && contains(b) && groupOf(a) == groupOf(b); }

  llvm::ArrayRef<mlir::Value> values() const { return members; }
  /// Of each group, in program order.
  std::vector<StorageChoice> choices() const;

private:
  void number(mlir::Value value);
  void join(mlir::ValueRange values);
  void keepBorders();
  void keepCarried();
  void keepWeights();
  unsigned groupOf(mlir::Value value) const { return groups[numbers.lookup(value)]; }
  std::string nameOf(mlir::Value value, StorageChoice::Kind &kind) const;

  mlir::func::FuncOp entry;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::SmallVector<mlir::Value> members; ///< by number
  llvm::IntEqClasses groups;
  std::vector<std::string> reasons; ///< by group; empty where it may be narrow
};

} // namespace attnc
