//===- KernelFrame.h - the function of a kernel phase, with its operands unpacked ---------------------------------===//
//
// Creates the function of a kernel phase with the kernel ABI (attn_kernel_fn of runtime/include/attn/abi.h), and
// provides the operands of the kernel as values of generated code. Emitters for processors begin each phase with a
// KernelFrame:
//
//   KernelFrame frame(kernel, kernel.getSymName(), code);
//   OpBuilder &b = frame.builder;                      // inserts before the return
//   Value q = frame.buffer(kernel.getArgument(0));     // memref<?x64xf32>
//   Value out = frame.result(0);
//   Value rows = frame.size(frame.sizes.dimension(kernel.getArgument(0), 0));
//   Value tile = frame.scratch(0, MemRefType::get({64, 64}, b.getF32Type()));
//   ... frame.chunk is the number of this chunk ...
//
// A phase is two functions. `@name(args, chunk, scratch)` unpacks the record attn_kernel_args and calls `@name.body`.
// The parameters of the body are a pointer for each buffer, then sizes, chunk, scratch, shared memory and status. The
// pointers to buffers, scratch and shared memory are `noalias`, so that LLVM may assume that a store to a result
// changes no operand.
//
// **In place.** A kernel argument with the attribute `attn.in_place = r : i64` may have the same buffer as result r.
// The memory plan sets the attribute only if Emitter::mayRunInPlace() permits it. These two pointers are not `noalias`.
//
// **Status.** If a data-dependent subscript is out of range, a kernel writes ATTN_OUT_OF_RANGE to `status`.
//
// Elements are stored as f32, bf16, f16 and i32. An i1 is stored in a byte, so a tensor of i1 is a memref of i8.
// Tensors are aligned to their elements only; scratch and shared memory are aligned to ATTN_ALIGNMENT.
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

/// The memref type of a tensor type in memory: the same shape and elements, dense row-major, with i8 for i1.
mlir::MemRefType memRefOf(mlir::Type tensor);

/// Emits a memref of `type` (dense row-major) at `pointer` (!llvm.ptr); `sizes` are its dynamic sizes in order, of type
/// index.
mlir::Value memRefAt(mlir::OpBuilder &builder, mlir::Location location, mlir::Value pointer, mlir::MemRefType type,
                     mlir::ValueRange sizes = {});

class KernelFrame {
public:
  /// Appends the two functions of phase `symbol` of `kernel` to `code`. The body contains the unpacked operands and its
  /// return only.
  KernelFrame(mlir::func::FuncOp kernel, llvm::StringRef symbol, mlir::ModuleOp code);

  /// One element for each buffer of `kernel` (tensor operands, then results): true if `attn.in_place` permits that an
  /// operand and a result share this buffer, false if the pointer to the buffer is `noalias`.
  static llvm::SmallVector<bool> sharingBuffers(mlir::func::FuncOp kernel);

  /// The buffer, a memref of the stored type, of a tensor argument of the kernel or of the value that the argument is
  /// widened to; null for other values.
  mlir::Value buffer(mlir::Value tensorArgument) const { return buffers.lookup(tensorArgument); }
  mlir::Value result(unsigned number) const { return results[number]; } ///< the buffer of result `number`

  /// The value (index) of a size over the kernel's symbols. Emitted once for each size, at the start of the body.
  mlir::Value size(const SizeExpr &size);
  /// The value (index) of an `index` value of the kernel, which must be a function of its sizes and index arguments;
  /// otherwise a fatal error.
  mlir::Value index(mlir::Value value) { return size(sizes.valueOf(value)); }

  /// scratch() is a memref of `type` in this worker's scratch (KernelCode::workerBytes), and shared() in the memory
  /// that all chunks of the launch share (KernelCode::sharedBytes). `offset` counts bytes; as a value it is an index.
  /// `dynamicSizes` are the dynamic sizes of `type` (index). Emitted at the builder's insertion point. Device frames
  /// have neither.
  mlir::Value scratch(int64_t offset, mlir::MemRefType type, mlir::ValueRange dynamicSizes = {});
  mlir::Value scratch(mlir::Value offset, mlir::MemRefType type, mlir::ValueRange dynamicSizes = {});
  mlir::Value shared(int64_t offset, mlir::MemRefType type, mlir::ValueRange dynamicSizes = {});
  mlir::Value shared(mlir::Value offset, mlir::MemRefType type, mlir::ValueRange dynamicSizes = {});

  /// Binds the kernel's arguments in `vectoriser` to this frame: buffers of tensors, index arguments, and the status.
  void bindTo(RegionVectoriser &vectoriser);

  mlir::ModuleOp code;     ///< contains the phase and the routines that it calls
  KernelSizes sizes;       ///< sizes of the kernel
  mlir::OpBuilder builder; ///< inserts before the return of the body
  mlir::Location location; ///< of the kernel
  mlir::Value chunk;       ///< number of this chunk (index)
  mlir::Value status;      ///< !llvm.ptr to an i32

protected:
  /// For derived classes (device frames), which create their own function and call openBody().
  KernelFrame(mlir::func::FuncOp kernel, mlir::ModuleOp code);
  /// Adds a block with a return to `body`, an empty function, and binds its first parameters: a pointer for each buffer
  /// (operands, then results) and an integer for each size. The derived class sets the members for other parameters,
  /// such as chunk and status.
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
