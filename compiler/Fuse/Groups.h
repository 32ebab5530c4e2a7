//===- Groups.h - ops that will be one kernel -----------------------------------------------------------------===//
//
// The forming passes do not move ops: they mark those that belong together with `attn.group = [number, "kind"]`,
// numbers counting from 0 in a function. `attn-outline-kernels` moves each group into a function and removes the marks;
// an op without a mark that computes a tensor is a group of its own by then.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "llvm/ADT/MapVector.h"
#include <optional>

namespace attnc {

struct GroupMark {
  int64_t number;
  KernelKind kind;
};

void markGroup(mlir::Operation *op, GroupMark mark);
std::optional<GroupMark> groupOf(mlir::Operation *op);
void unmarkGroup(mlir::Operation *op);
/// The lowest number that no group of the function has.
int64_t nextGroupNumber(mlir::func::FuncOp function);
/// Groups in the order of their first ops.
llvm::MapVector<int64_t, llvm::SmallVector<mlir::Operation *>> groupsIn(mlir::func::FuncOp function);

/// Does `op` compute tensor elements, so that it has to lie in a kernel? Neither free reshapes nor what only prepares
/// an out argument do.
bool computesTensor(mlir::Operation *op);

} // namespace attnc
