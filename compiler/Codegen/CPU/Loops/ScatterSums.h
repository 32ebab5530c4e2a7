//===- ScatterSums.h - scatter-adds without collisions, as a sum for each element ---------------------------------===//
//
// An attn.scatter_add has loops. Each iteration adds a term to an element of `init` at computed subscripts. If each
// subscript is the index of a loop of its own or a constant, different indices of these loops select different
// elements, and each element is a sum over the other loops:
//
//   for p in tuples of the loops that are subscripts       a chunk has a range of the first subscript
//     result[p] = init[p] + sum over the others of term    the last of the summed loops is in the lanes
//
// If the first subscript is a constant, or there is none, there is one chunk. `init` is copied to the result first,
// unless both have the same buffer, so elements that no tuple selects keep their initial value. LoopsScatter.cpp calls
// both functions.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"
#include "dialects/Attn/Attn.h"

namespace attnc {

/// Whether `op`, which `kernel` returns, is a scatter-add of this kind:
/// - each subscript is the index of a loop of its own that runs over the whole dimension, or a constant in the range of
///   a dimension of static size;
/// - at least one loop is no subscript;
/// - the elements are f32;
/// - the last loop is not the last subscript, because its columns would be better lanes (LoopsScatter.cpp).
bool hasDistinctTargets(mlir::func::FuncOp kernel, mlir::attn::ScatterAddOp op);
/// Appends the function of the kernel's only phase to `code`, under the name of the kernel, and returns the phase and
/// the cost. Requires hasDistinctTargets(kernel, op).
KernelCode emitScatterSums(mlir::func::FuncOp kernel, mlir::attn::ScatterAddOp op, const Target &target,
                           mlir::ModuleOp code);

} // namespace attnc
