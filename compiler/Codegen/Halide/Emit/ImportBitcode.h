//===- ImportBitcode.h - import of Halide's bitcode into the module of generated code -----------------------------===//
//
// The Halide emitter imports the function of each stage, which kernel phases then call (StagePhase.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Compile/Bitcode.h"
#include "compiler/Codegen/Halide/Read/Operations.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc::halide {

/// Imports the function `bitcode.symbol` into `code` as an internal function of the llvm dialect, called `symbol`,
/// without function attributes. `bitcode` has no error, and `error` is empty before the call. All ops of the function
/// have the location `location`. If `mayContract`, its products and sums may become fmas, as in other kernels. Its
/// opaque calls are replaced by `operations`. The imported function has a further last argument, a pointer to the i32
/// status. Its accesses of tensors require no alignment beyond that of an element. Returns null, with the reason in
/// `error`, if the bitcode is invalid or lacks the function, if the function calls functions other than opaque calls
/// and LLVM intrinsics, or uses global data, if it needs more than 128 KiB of stack or stack of dynamic size, or if
/// MLIR cannot express it.
mlir::LLVM::LLVMFuncOp importBitcode(const Bitcode &bitcode, llvm::StringRef symbol, const Operations &operations,
                                     bool mayContract, mlir::Location location, mlir::ModuleOp code,
                                     std::string &error);

} // namespace attnc::halide
