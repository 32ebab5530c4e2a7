//===- RowsInLanes.h - rows of few elements, a row a lane ---------------------------------------------------------===//
//
// A row that fills less than a vector leaves lanes empty, and its reductions go across lanes. So L rows are taken at a
// time, one in each lane, and their elements one after the other:
//
//   for L rows                               along the last loop over rows that has more than one
//     for each sweep, for each element j     written out: the loads gather, folds add vector to vector
//     store                                  what is stored of all elements, behind all loads
//
// Nothing is kept in scratch: what a later sweep wants of an earlier one stays in registers.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// Whether the rows of this kernel are so short.
bool suitsRowsInLanes(mlir::func::FuncOp kernel, const Target &target);
KernelCode emitRowsInLanes(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

} // namespace attnc
