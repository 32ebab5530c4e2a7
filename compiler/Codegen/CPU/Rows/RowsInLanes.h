//===- RowsInLanes.h - short rows, one in each lane -------------------------------------------------------------===//
//
// A row shorter than a vector would leave lanes unused, and its reductions are across lanes. Therefore L rows are
// computed at a time, one in each lane, and their elements one after the other:
//
//   for L rows                               along the last loop over rows that has more than one
//     for each sweep, for each element j     unrolled: loads are gathers, folds combine vectors
//     store                                  of all elements, after all loads
//
// Values that a later sweep reads stay in registers, not in scratch.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// Whether the rows of this kernel are short enough.
bool suitsRowsInLanes(mlir::func::FuncOp kernel, const Target &target);
KernelCode emitRowsInLanes(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

} // namespace attnc
