//===- Operations.h - what Halide calls without knowing it --------------------------------------------------------===//
//
// Halide has exp and tanh from a library, decides comparisons of floats as if there were no NaN, and lets no i32 wrap
// around. Such operations it is told as calls of functions of which it knows nothing (Declarations.h). When its code is
// imported, each call becomes the operation itself, on vectors, as in our own kernels:
//
//   llvm.call @attnc.operation3x16(%x) : (vector<16xf32>) -> vector<16xf32>        math.exp %x : vector<16xf32>
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attnc::halide {

/// Operations of a kernel, each of another kind; their numbers are places here.
using Operations = llvm::SmallVector<mlir::Operation *>;

/// Whether it is arithmetic, a function or a draw of one element each, of f32, i32 and truth values.
bool canBeCalled(mlir::Operation *operation);
/// The place of an operation of the same kind, which is added where there is none.
unsigned numberOf(Operations &operations, mlir::Operation *operation);

/// Puts operations in the place of calls of them, and checks in the place of calls for those. What is found out of
/// range is said where `status` points to.
void insertOperations(mlir::LLVM::LLVMFuncOp function, const Operations &operations, mlir::Value status);

} // namespace attnc::halide
