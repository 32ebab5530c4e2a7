//===- AttendCalls.h - what Halide's code of attention calls ------------------------------------------------------===//
//
// The functions of AttendBitcode.h become the code that our kernels of attention have, on the call's vectors: weights
// are then the same numbers, and exactly zero where those are.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attnc::halide {

void insertAttendCalls(mlir::LLVM::LLVMFuncOp function, const Target &target);

} // namespace attnc::halide
