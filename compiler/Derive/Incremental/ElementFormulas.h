//===- ElementFormulas.h - rewrite of list elements at other time steps to formulas -------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/PositionDims.h"

namespace attnc {

/// Prepares a function with `model.incremental` for PositionAnalysis; `along` is the name of the dimension of
/// positions.
///
/// In a scan along the positions, a `model.element` may read a list at an index that depends on the time step, such as
/// `x[:, t - 2]` or `table[t]`. Rows of different lengths have to read such elements at different indices. Each of
/// these ops is replaced by a linalg.generic that reads the element by tensor.extract. An element at the time step
/// itself stays if the leading dimension of the list is the positions and the list has a dimension of rows, or the
/// function has no rows.
///
/// A result of a scan that stacks a value of each time step has positions before rows, but a cache has rows before
/// positions. If a formula reads such a result at another position than its own, it reads a transposed copy.
void expandElements(mlir::func::FuncOp function, llvm::StringRef along);

} // namespace attnc
