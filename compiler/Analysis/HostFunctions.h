//===- HostFunctions.h - host functions, and removal of unused functions and ops ----------------------------------===//
//
// A host function is a func.func with a body that is not a kernel (no `attn.kernel`): an entry point, or a private
// function such as the update rule of an optimizer.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Returns the host functions in the order of the module.
llvm::SmallVector<mlir::func::FuncOp> hostFunctions(mlir::ModuleOp module);

/// Unit attribute of an entry point that the program never calls (compiler/Pipeline/CalledEntries.h). The entry point
/// is compiled until kernels have names, so that the names do not depend on the attribute; explanations omit it.
inline constexpr llvm::StringLiteral uncalledAttrName = "attn.uncalled";

/// Removes, in the order of the module, each function that satisfies `mayErase` and is used at most in functions that
/// this call has removed before.
void eraseUnused(mlir::ModuleOp module, llvm::function_ref<bool(mlir::func::FuncOp)> mayErase);
/// Removes kernels by eraseUnused(): those without calls, and those that only earlier removed kernels call.
void eraseUnusedKernels(mlir::ModuleOp module);

/// Dead-code elimination in `function`: removes ops that have no effects and no users.
void removeUnused(mlir::func::FuncOp function);

} // namespace attnc
