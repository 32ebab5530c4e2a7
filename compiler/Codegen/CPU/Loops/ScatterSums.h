//===- ScatterSums.h - terms added at subscripts that are loops -------------------------------------------------===//
//
// Where each subscript of an attn.scatter_add is a loop of its own or a number, no two tuples of those loops meet at
// one element, which gets a sum over the other loops:
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

/// Whether `op` is such a sum, over one loop or several.
bool isScatterOfSums(mlir::func::FuncOp kernel, mlir::attn::ScatterAddOp op);
KernelCode emitScatterSums(mlir::func::FuncOp kernel, mlir::attn::ScatterAddOp op, const Target &target,
                           mlir::ModuleOp code);

} // namespace attnc
