//===- ElementFormulas.h - elements of lists at a time step as formulas -------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/PositionDims.h"

namespace attnc {

/// Replaces each `model.element` in a scan along the positions whose place depends on the time step, but is not the
/// time step of a list of positions with rows, by a linalg.generic that reads the element at this place. Examples are
/// `x[:, t - 2]` and `table[t]`, which rows of different lengths read at different places. Formulas that read a stacked
/// result of a scan at other positions read it with the rows before the positions, as caches have them.
void expandElements(mlir::func::FuncOp function, llvm::StringRef along);

} // namespace attnc
