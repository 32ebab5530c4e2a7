//===- KernelFrame.h - the function of a kernel phase, with its operands unpacked -------------------------------===//
//
// Opens a phase with the kernel ABI (runtime/include/attn/abi.h) and provides its operands as values:
//
//   KernelFrame frame(kernel, kernel.getSymName(), code);
//   OpBuilder &b = frame.builder;                      // inserts before the return
//   Value q = frame.buffer(kernel.getArgument(0));     // memref<?x64xf32>
//   Value out = frame.result(0);
//   Value rows = frame.size(frame.sizes.dimension(kernel.getArgument(0), 0));
//   Value tile = frame.scratch(0, MemRefType::get({64, 64}, b.getF32Type()));
//   ... frame.chunk is the number of this chunk ...
//
// A phase is two functions: `@name(args, chunk, scratch)` unpacks the record and calls `@name.body`, whose parameters
// are bare pointers. Parameters are `noalias`, so that LLVM may assume that a store to a result changes no operand.
//
// **In place.** A kernel argument with the attribute `attn.in_place = r : i64` may be the same buffer as result r. The
// memory plan sets it only if each element of the result depends on the same element of the argument alone
// (`Emitter::mayRunInPlace`). Neither of the two is `noalias` then.
//
// **Status.** If a data-dependent subscript is out of range, a kernel writes ATTN_OUT_OF_RANGE to `status`.
//
// Elements are stored as f32, bf16, f16 and i32; i1 in bytes, so a tensor of i1 is a memref of i8. Tensors are aligned
// to their elements only; scratch is aligned to ATTN_ALIGNMENT.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Nest/KernelSizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

class RegionVectoriser;

/// The memref of a tensor in memory: dense row-major, i1 in bytes.
mlir::MemRefType memRefOf(mlir::Type tensor);

/// A memref of `type` at `pointer` (!llvm.ptr); `sizes` are its dynamic sizes (index).
mlir::Value memRefAt(mlir::OpBuilder &builder, mlir::Location location, mlir::Value pointer, mlir::MemRefType type,
                     mlir::ValueRange sizes = {});

class KernelFrame {
public:
  /// Appends the two functions of phase `symbol` of `kernel` to `code`. The body is empty but for its return.
  KernelFrame(mlir::func::FuncOp kernel, llvm::StringRef symbol, mlir::ModuleOp code);

  /// Whether the buffer of each tensor operand, then result, of `kernel` may be that of another (`attn.in_place`); all
  /// others are `noalias`.
  static llvm::SmallVector<bool> sharingBuffers(mlir::func::FuncOp kernel);

  /// The buffer (memref) of a tensor argument, or of the value that it is widened to, in its storage type; null for
  /// other values.
  mlir::Value buffer(mlir::Value tensorArgument) const { return buffers.lookup(tensorArgument); }
  mlir::Value result(unsigned number) const { return results[number]; } ///< its buffer

  /// A size as an `index` value; computed once, at the start of the function.
  mlir::Value size(const SizeExpr &size);
  /// An `index` value of the kernel (an argument or a size).
  mlir::Value index(mlir::Value value) { return size(sizes.valueOf(value)); }

  /// A view (memref) of this worker's scratch (KernelCode::workerBytes), or of the scratch that the launch shares
  /// (KernelCode::sharedBytes), at a byte offset (index). `dynamicSizes` are those of `type`.
  mlir::Value scratch(int64_t offset, mlir::MemRefType type, mlir::ValueRange dynamicSizes = {});
  mlir::Value scratch(mlir::Value offset, mlir::MemRefType type, mlir::ValueRange dynamicSizes = {});
  mlir::Value shared(int64_t offset, mlir::MemRefType type, mlir::ValueRange dynamicSizes = {});
  mlir::Value shared(mlir::Value offset, mlir::MemRefType type, mlir::ValueRange dynamicSizes = {});

  /// Binds the buffers of all arguments, the index arguments and the status.
  void bindTo(RegionVectoriser &vectoriser);

  mlir::ModuleOp code; ///< contains the phase and the routines that it calls
  KernelSizes sizes;
  mlir::OpBuilder builder; ///< inserts before the return of the body
  mlir::Location location;
  mlir::Value chunk;  ///< index
  mlir::Value status; ///< !llvm.ptr to an i32

protected:
  /// For derived classes, which open a function of their own by openBody().
  KernelFrame(mlir::func::FuncOp kernel, mlir::ModuleOp code);
  /// Begins `body`, whose first parameters are the buffers (operands, then results) and the sizes; the caller binds the
  /// others.
  void openBody(mlir::func::FuncOp body);

private:
  mlir::func::FuncOp openFunctions(llvm::StringRef symbol, mlir::ModuleOp code);
  mlir::Value view(mlir::Value pointer, mlir::Value offset, mlir::MemRefType type, mlir::ValueRange dynamicSizes);

  mlir::func::FuncOp kernel;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::SmallVector<mlir::Value> results;
  llvm::SmallVector<mlir::Value> symbolValues; ///< index, one a symbol
  llvm::SmallVector<std::pair<SizeExpr, mlir::Value>> computedSizes;
  mlir::Operation *lastSize = nullptr; ///< sizes are inserted after it
  mlir::Value sharedPointer, scratchPointer;
};

} // namespace attnc
