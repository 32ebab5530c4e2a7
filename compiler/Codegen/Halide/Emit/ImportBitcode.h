//===- ImportBitcode.h - import of Halide's bitcode into the code module ------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Compile/Bitcode.h"
#include "compiler/Codegen/Halide/Read/Operations.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc::halide {

/// Imports the function `bitcode.symbol` into `code` as an internal function `symbol`, without target attributes. If
/// `mayContract` is true, its products and sums may contract, as in other kernels. Opaque calls become the
/// `operations`; a further argument points to the status. Returns null, with the reason in `error`, if the bitcode is
/// invalid or the function calls other functions.
mlir::LLVM::LLVMFuncOp importBitcode(const Bitcode &bitcode, llvm::StringRef symbol, const Operations &operations,
                                     bool mayContract, mlir::Location location, mlir::ModuleOp code,
                                     std::string &error);

} // namespace attnc::halide
