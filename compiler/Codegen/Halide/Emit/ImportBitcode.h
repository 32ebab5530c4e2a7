//===- ImportBitcode.h - what Halide compiled, as functions of the code module ------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Compile/Bitcode.h"
#include "compiler/Codegen/Halide/Read/Operations.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc::halide {

/// Adds the function `symbol` of `bitcode` to `code`, internal, without what it says of targets; where `mayContract`,
/// its products and sums may contract, as those of other kernels do. What it calls is `operations`. It has another
/// argument, which points to the status. Null where it can't be had or calls another function; `error` says why.
mlir::LLVM::LLVMFuncOp importBitcode(const Bitcode &bitcode, llvm::StringRef symbol, const Operations &operations,
                                     bool mayContract, mlir::Location location, mlir::ModuleOp code,
                                     std::string &error);

} // namespace attnc::halide
