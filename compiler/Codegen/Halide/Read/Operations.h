//===- Operations.h - operations behind Halide's opaque calls -----------------------------------------------------===//
//
// Halide computes exp and tanh with a library, simplifies comparisons of floats as if there were no NaN, and assumes
// that no i32 overflows. These operations become opaque calls (Declarations.h). When Halide's code is imported, each
// call is replaced by the operation itself, on vectors, as in other kernels:
//
//   llvm.call @attnc.operation3x16(%x) : (vector<16xf32>) -> vector<16xf32>        math.exp %x : vector<16xf32>
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attnc::halide {

/// Distinct operations of a kernel; an operation's number is its index here.
using Operations = llvm::SmallVector<mlir::Operation *>;

/// True if the op is arithmetic, a function or a random draw on one element of each operand, of f32, i32 and truth
/// values.
bool canBeCalled(mlir::Operation *operation);
/// The number of an equal operation, which is added if there is none.
unsigned numberOf(Operations &operations, mlir::Operation *operation);

/// Replaces opaque calls by operations and checks. An out-of-range subscript is reported in the word at `status`.
void insertOperations(mlir::LLVM::LLVMFuncOp function, const Operations &operations, mlir::Value status);

} // namespace attnc::halide
