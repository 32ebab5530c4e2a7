//===- DeviceFrame.h - device function of a kernel phase, with its operands unpacked ------------------------------===//
//
// The KernelFrame of a device. A kernel phase is one function, executed by every thread of every block:
//
//   func.func @name(buffers..., sizes..., %shared, %status) attributes {attn.threads = 256}
//
// Its `chunk` is the block number. Buffers (!llvm.ptr) and sizes (i64) are those of attn_kernel_args, in order.
// `%shared` points to the scratch of the launch, in global memory, `%status` to an i32. Tensors are aligned to
// `deviceAlignment` bytes unless they are marked `attn.unaligned`, so that LLVM can merge four elements into one
// access. There is no scratch of a worker.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

/// Default number of threads of a block; threads of a warp.
inline constexpr int64_t blockThreads = 256, warpThreads = 32;
/// LLVM address spaces: global memory, and the shared memory of a block.
inline constexpr unsigned globalSpace = 1, sharedSpace = 3;
/// Alignment of tensors in bytes: that of the widest access.
inline constexpr int64_t deviceAlignment = ATTN_DEVICE_ALIGNMENT;
/// f32 elements of the widest access.
inline constexpr int64_t deviceLanes = deviceAlignment / 4;
/// On a device function: the number of threads of a block (i64).
inline constexpr llvm::StringLiteral threadsAttrName = "attn.threads";
/// On an argument or a result of a kernel: the tensor may be an element of a per-iteration list, aligned to its own
/// elements only (compiler/Pipeline/DeviceAlignment.h).
inline constexpr llvm::StringLiteral unalignedAttrName = "attn.unaligned";

/// Whether no argument or result of the kernel has `attn.unaligned`. Copies of 16-byte vectors require it.
bool isAligned(mlir::func::FuncOp kernel);

/// The buffer number of a kernel operand, or of the operand that `tensor` widens: its place among the tensor arguments.
unsigned bufferNumber(mlir::Value tensor);

/// The coordinates of the executing thread in its launch, and the function that it executes.
struct ThreadPosition {
  mlir::Value block, thread; ///< index: the block's number, and the thread's in it
  mlir::ModuleOp code;       ///< the module of the function
  std::string symbol;        ///< of the function
  int64_t threads;           ///< of a block
};

/// The function of a kernel phase on a device. scratch() and shared() of KernelFrame must not be called.
class DeviceFrame : public KernelFrame {
public:
  /// Creates the function `symbol` at the end of `code`, empty but for its return. `threads`, of a block, is a multiple
  /// of 32.
  DeviceFrame(mlir::func::FuncOp kernel, llvm::StringRef symbol, mlir::ModuleOp code, int64_t threads = blockThreads);

  /// The pointer (!llvm.ptr) of a buffer, by its number: tensor operands first, then results.
  mlir::Value pointer(unsigned buffer) { return function.getArgument(buffer); }
  /// The pointer of an operand, or of the operand that `tensor` widens.
  mlir::Value pointerOf(mlir::Value tensor) { return pointer(bufferNumber(tensor)); }
  /// Scratch in global memory that all phases of a launch share (KernelCode::sharedBytes): !llvm.ptr.
  mlir::Value sharedScratch() { return function.getArgument(function.getNumArguments() - 2); }

  ThreadPosition position;

private:
  mlir::func::FuncOp function;
};

} // namespace attnc
