//===- RowsInLanes.h - rows kernels of short rows, with one row in each lane --------------------------------------===//
//
// A rows kernel computes maps and reductions of rows. If the elements of a row are in the lanes, a row that is shorter
// than a vector leaves lanes unused, and its reductions are across lanes. Therefore L short rows are computed at a
// time, one in each lane, and their elements one after the other. L is the number of lanes of a vector, or half of it
// if it exceeds 4, the number of rows along the loop in the lanes is a constant, and the estimated cost is lower, as
// fewer lanes are then unused. RowPlan (Kernels/Rows/RowPlan.h) divides the ops of the kernel into sweeps over the
// elements:
//
//   for L rows                                 along the last loop over rows whose size is not 1
//     for each sweep of the kernel's RowPlan
//       for each element j                     unrolled: loads are gathers, folds combine vectors
//       store the sweep's maps                 after all its loads, as results may overwrite operands
//
// Maps that a later sweep reads stay in registers, so the kernel needs no scratch. Rows.cpp calls both functions.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// Elements of operands that make a chunk of a rows kernel worth its launch.
inline constexpr int64_t rowsChunkElements = 32768;

/// Whether the kernel is suitable. Requires that RowPlan(kernel).verdict() is yes. The conditions are:
/// - the length of a row is a constant, at least 1 and smaller than the number of lanes of a vector;
/// - the kernel has a reduction, and each result of its reductions is folded by one combiner;
/// - the unrolled code of a row has at most 1024 instructions;
/// - a loop over rows has a size other than 1, and the size of the last such loop, which is in the lanes, is dynamic or
///   larger than the length of a row.
bool suitsRowsInLanes(mlir::func::FuncOp kernel, const Target &target);
/// Appends the function of the kernel's only phase to `code`, under the name of the kernel, and records the schedule
/// (rows_per_chunk) on the kernel. Returns the phase and the cost. Requires suitsRowsInLanes(kernel, target).
KernelCode emitRowsInLanes(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

} // namespace attnc
