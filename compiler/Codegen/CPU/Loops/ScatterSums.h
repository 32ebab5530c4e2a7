//===- ScatterSums.h - scatters without collisions --------------------------------------------------------------===//
//
// If each subscript of an attn.scatter_add is a loop of its own or a constant, no two tuples of those loops have the
// same subscripts, and each element is a sum over the other loops:
//
//   for p in tuples of the loops that are subscripts       a chunk has some of the first
//     result[p] = init[p] + sum over the others of term    the last of them in lanes
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"
#include "dialects/Attn/Attn.h"

namespace attnc {

/// Whether `op` is a scatter of this kind, with at least one summed loop.
bool hasDistinctTargets(mlir::func::FuncOp kernel, mlir::attn::ScatterAddOp op);
KernelCode emitScatterSums(mlir::func::FuncOp kernel, mlir::attn::ScatterAddOp op, const Target &target,
                           mlir::ModuleOp code);

} // namespace attnc
