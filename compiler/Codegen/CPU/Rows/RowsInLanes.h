//===- RowsInLanes.h - short rows, one in each lane -------------------------------------------------------------===//
//
// A row shorter than a vector would leave lanes unused, and its reductions are across lanes. Therefore L rows are
// computed at a time, one in each lane, and their elements one after the other. L is the lanes of a vector, or half of
// them if this leaves fewer unused:
//
//   for L rows                                 along the last loop over rows whose size is not 1
//     for each sweep of the kernel's RowPlan
//       for each element j                     unrolled: loads are gathers, folds combine vectors
//       store the sweep's maps                 after all its loads, as results may overwrite operands
//
// Maps that a later sweep reads stay in registers, not in scratch.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// Whether rows are shorter than a vector, with a constant length, and are reduced, each reduction by one combiner;
/// their unrolled code is small, and their number along the loop in lanes is dynamic or larger than their length.
/// Requires a valid RowPlan.
bool suitsRowsInLanes(mlir::func::FuncOp kernel, const Target &target);
/// Appends the function of the kernel's phase to `code`. Requires suitsRowsInLanes().
KernelCode emitRowsInLanes(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

} // namespace attnc
