//===- Outliner.h - a group of ops as a function ------------------------------------------------------------------===//
#pragma once

#include "compiler/Fuse/Groups.h"
#include "mlir/IR/SymbolTable.h"

namespace attnc {

/// Moves the ops of every group of `function`, of one block and in order, into a private function with `attn.kernel`,
/// `<function>_<kind>_<number>`, and calls it where the last of them was. What prepares an out argument, scalars and
/// sizes are computed inside; tensors become arguments in the order in which the ops first read them, then sizes that
/// no argument has.
void outlineGroups(mlir::func::FuncOp function, mlir::SymbolTable &symbols);

} // namespace attnc
