//===- Outliner.h - outlining of kernel groups to functions -------------------------------------------------------===//
#pragma once

#include "compiler/Fuse/Groups.h"
#include "mlir/IR/SymbolTable.h"

namespace attnc {

/// Moves the ops of each group of `function` (Groups.h) into a new kernel: a private function with `attn.kernel`, the
/// kind of the group, named `<function>_<kind>_<number>`. The number counts the kernels of a kind from 0, anew each
/// time that this function runs, and skips names in use. The kernel is inserted in `symbols`, the symbol table of the
/// module. A func.call replaces the last op of the group.
///
/// All ops of a group must be in one block, and no path may lead from the group through other ops back into it. Ops
/// between them that read their results, directly or through other ops, are moved after the call. The kernel itself
/// creates constants, initial values of out arguments, and the scalars and sizes that it can compute. Its arguments are
/// the tensors in the order of their first use, then the other sizes and scalars, such as an induction variable. Its
/// results are the values that other ops use. Unused ops of `function` are removed.
void outlineGroups(mlir::func::FuncOp function, mlir::SymbolTable &symbols);

} // namespace attnc
