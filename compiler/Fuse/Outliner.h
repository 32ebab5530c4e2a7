//===- Outliner.h - outlining of kernel groups to functions -------------------------------------------------------===//
#pragma once

#include "compiler/Fuse/Groups.h"
#include "mlir/IR/SymbolTable.h"

namespace attnc {

/// Moves the ops of each group of `function` into a private function `<function>_<kind>_<number>` with `attn.kernel`,
/// and inserts a call at the position of the last op. The number counts the kernels of a kind from 0 and skips names in
/// use. A group lies in one block; ops between its members that read their results are moved after the call. The kernel
/// creates constants, initial values of out arguments, scalars and sizes itself. Its arguments are the tensors in the
/// order of their first use, then the sizes and other scalars that it cannot compute from them, such as an induction
/// variable. Its results are the values that other ops use. Unused ops of `function` are removed.
void outlineGroups(mlir::func::FuncOp function, mlir::SymbolTable &symbols);

} // namespace attnc
