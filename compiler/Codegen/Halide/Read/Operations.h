//===- Operations.h - operations behind Halide's opaque calls -----------------------------------------------------===//
//
// Halide computes exp and tanh with a library, simplifies comparisons of floats as if there were no NaN, and assumes
// that no i32 overflows. The reader of formulas (ReadFormula.h) therefore turns such operations of a kernel into opaque
// calls (Declarations.h). When Halide's code is imported (ImportBitcode.h), each call is replaced by the operation
// itself, on vectors, as RegionVectoriser generates it for other kernels:
//
//   llvm.call @attnc.operation3x16(%x) : (vector<16xf32>) -> vector<16xf32>        math.exp %x : vector<16xf32>
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attnc::halide {

/// Distinct operations of a kernel. The number of an operation is its position. The ops belong to the kernel.
using Operations = llvm::SmallVector<mlir::Operation *>;

/// Whether the op can be an opaque call: arithmetic, a mathematical function that has code (isSupportedMath) or a
/// random draw, with one result and at least one operand, on scalars of f32, i32 and i1.
bool canBeCalled(mlir::Operation *operation);
/// The number of an operation in `operations` that is equal up to its operands: name, attributes, types, and which
/// operands are the same value. `operation` is appended if there is none.
unsigned numberOf(Operations &operations, mlir::Operation *operation);

/// Replaces the opaque calls in `function` by code: an operation, a check of a subscript, a conversion of 16-bit
/// elements, or its first operand (Repeated). A subscript out of range becomes 0, and stores ATTN_OUT_OF_RANGE to the
/// i32 at `status` (!llvm.ptr). Calls of other functions remain.
void insertOperations(mlir::LLVM::LLVMFuncOp function, const Operations &operations, mlir::Value status);

} // namespace attnc::halide
