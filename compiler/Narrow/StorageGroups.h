//===- StorageGroups.h - groups of values with one storage type ---------------------------------------------------===//
//
// Partitions the f32 tensors of an entry point into groups whose members must have the same storage type, and records
// for each group the reason why it must stay f32, if there is one.
//
// Only kernels convert between storage types. Every other op moves or stores elements, so its operands and results are
// in one group. The initial value, the carried value, the next value and the result of a loop are in one group for each
// carried value. A state argument and its new value are in one group.
//
//   %y = call @gemm_0(%x, %w)              a group each
//   %l = model.with_element %a into %l0    one group of three tensors
//   %v = tensor.expand_shape %b            one group of two
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Narrow/Narrow.h"
#include "dialects/Model/Model.h"
#include "llvm/ADT/IntEqClasses.h"

namespace attnc {

/// The sets of f32 tensors, each with at least two, among the operands and results of `op` that must have the same
/// storage type because `op` moves elements between them; the values inside a loop or another region that correspond to
/// them are included. Empty for the call of a kernel, and for an op without results.
llvm::SmallVector<llvm::SmallVector<mlir::Value>> sharedStorageSets(mlir::Operation *op);

/// The groups of one entry point. It does not change the entry point; narrowStorage() does (Narrow.h).
class StorageGroups {
public:
  /// Forms the groups of `entry`, and records the reasons that follow from the entry point alone: its interface,
  /// carried values of scans, vectors of weights, weights that are carried or returned, and scalars.
  explicit StorageGroups(mlir::func::FuncOp entry);

  /// True if the value was an f32 tensor of this entry point when the groups were formed.
  bool contains(mlir::Value value) const { return numbers.contains(value); }
  /// Requires that the group of `value`, if it has one, stays f32. The first reason, a clause, is recorded.
  void keep(mlir::Value value, const std::string &reason);
  /// True if the value is in a group for which no reason is recorded.
  bool isNarrow(mlir::Value value) const { return contains(value) && reasons[groupOf(value)].empty(); }

  bool areInOneGroup(mlir::Value a, mlir::Value b) const {
    return contains(a) && contains(b) && groupOf(a) == groupOf(b);
  }

  /// All values in groups: those of a block in program order, before those of the blocks nested in it.
  llvm::ArrayRef<mlir::Value> values() const { return members; }
  /// The choice for each group that contains a weight, an argument of the entry point or the result of a kernel, in the
  /// order of the groups' first values in values().
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
