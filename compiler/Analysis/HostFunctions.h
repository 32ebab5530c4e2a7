//===- HostFunctions.h - the functions of a module that are not kernels -------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Entry points and other functions of the host, in order.
llvm::SmallVector<mlir::func::FuncOp> hostFunctions(mlir::ModuleOp module);

/// On an entry point that is never called: it determines names of kernels only, and has no explanation.
inline constexpr llvm::StringLiteral uncalledAttrName = "attn.uncalled";

/// Removes kernels without calls.
void eraseUnusedKernels(mlir::ModuleOp module);

/// Dead-code elimination: removes ops without effects and users.
void removeUnused(mlir::func::FuncOp function);

} // namespace attnc
