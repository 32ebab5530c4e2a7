//===- Outliner.h - a group of ops as a function ------------------------------------------------------------------===//
#pragma once

#include "compiler/Fuse/Groups.h"
#include "mlir/IR/SymbolTable.h"

namespace attnc {

/// Moves `ops`, of one block and in order, into a private function `name` with `attn.kernel`, and calls it where the
/// last of them was. What prepares an out argument, scalars and sizes are computed inside; tensors become arguments in
/// the order in which the ops first read them, then sizes that no argument has.
void outlineGroup(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Operation *> ops, KernelKind kind,
                  llvm::StringRef name, mlir::SymbolTable &symbols);

/// Outlines every group of `function`, each as `<function>_<kind>_<number>`.
void outlineGroups(mlir::func::FuncOp function, mlir::SymbolTable &symbols);

} // namespace attnc
