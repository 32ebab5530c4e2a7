//===- Groups.h - kernel groups: ops that become one kernel -------------------------------------------------------===//
//
// Grouping passes do not move ops. They mark the ops of a group with `attn.group = [number, "kind"]`, numbered from 0
// in each function. `attn-outline-kernels` moves each group into a function and removes the marks; an unmarked op that
// computes a tensor becomes a group of its own.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "llvm/ADT/MapVector.h"
#include <optional>

namespace attnc {

/// The group of an op: its number in the function, and the kind of the kernel that it becomes.
struct GroupMark {
  int64_t number;
  KernelKind kind;
};

/// Sets the mark of `op`, in place of an earlier one.
void markGroup(mlir::Operation *op, GroupMark mark);
/// The mark of `op`; null if it has none.
std::optional<GroupMark> groupOf(mlir::Operation *op);
/// Removes the mark of `op`, if it has one.
void unmarkGroup(mlir::Operation *op);
/// Returns the largest group number in `function` plus one; 0 if no op is marked.
int64_t nextGroupNumber(mlir::func::FuncOp function);
/// Returns the marked ops of `function` by group number. The ops of a group are in program order, and the groups in the
/// order of their first ops.
llvm::MapVector<int64_t, llvm::SmallVector<mlir::Operation *>> groupsIn(mlir::func::FuncOp function);

/// True if `op`, of the dialects linalg, tensor or attn, computes or copies tensor elements and therefore belongs in a
/// kernel. False for free reshapes, for tensor.empty, and for a linalg.fill that no op reads except as the initial
/// value of an out argument. False for ops of all other dialects, such as loops, calls, lists and dense constants.
bool computesTensor(mlir::Operation *op);

} // namespace attnc
