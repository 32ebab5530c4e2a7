//===- ScatterSums.h - scatters without collisions --------------------------------------------------------------===//
//
// If each subscript of an attn.scatter_add is a loop of its own or a constant, no two tuples of those loops have the
// same subscripts, and each element is a sum over the other loops:
//
//   for p in tuples of the loops that are subscripts       a chunk has a range of the first subscript
//     result[p] = init[p] + sum over the others of term    the last of the summed loops in lanes
//
// If the first subscript is a constant, there is one chunk. `init` is copied to the result first, unless both are the
// same buffer, so elements that no tuple selects keep their initial value.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"
#include "dialects/Attn/Attn.h"

namespace attnc {

/// Whether `op`, which `kernel` returns, is a scatter of this kind: loops that are subscripts run over the whole
/// dimension, constants are in range, at least one loop is summed, and elements are f32. False if the last loop is the
/// last subscript, as its columns are better lanes (LoopsScatter.cpp).
bool hasDistinctTargets(mlir::func::FuncOp kernel, mlir::attn::ScatterAddOp op);
/// Appends the function of the kernel's phase to `code`. Requires hasDistinctTargets().
KernelCode emitScatterSums(mlir::func::FuncOp kernel, mlir::attn::ScatterAddOp op, const Target &target,
                           mlir::ModuleOp code);

} // namespace attnc
