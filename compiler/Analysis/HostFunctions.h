//===- HostFunctions.h - host functions: the functions of a module except kernels ---------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Returns entry points and other functions of the host, in program order.
llvm::SmallVector<mlir::func::FuncOp> hostFunctions(mlir::ModuleOp module);

/// Marks an entry point that is never called (compiler/Pipeline/CalledEntries.h). It is compiled until kernels have
/// names, so that names do not depend on the mark; explanations omit it.
inline constexpr llvm::StringLiteral uncalledAttrName = "attn.uncalled";

/// Removes the functions that satisfy `mayErase` and have no uses, or uses in earlier ones of these functions alone.
void eraseUnused(mlir::ModuleOp module, llvm::function_ref<bool(mlir::func::FuncOp)> mayErase);
/// Removes kernels without calls.
void eraseUnusedKernels(mlir::ModuleOp module);

/// Dead-code elimination: removes ops without effects and users.
void removeUnused(mlir::func::FuncOp function);

} // namespace attnc
