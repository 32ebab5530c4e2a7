//===- DeviceFrame.h - a kernel function on a device, with its operands unpacked ------------------------------===//
//
// The device's KernelFrame: one function for a phase, which every thread of every block runs,
//
//   func.func @name(buffers..., sizes..., %shared, %status) attributes {attn.threads = 256}
//
// whose `chunk` is the number of the block. Buffers and sizes are those of attn_kernel_args, in order. Tensors on a
// device are aligned to `deviceAlignment` bytes, so that LLVM knows where four elements are one access; there is no
// scratch of a worker.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

/// Threads of a block where nothing else is said, and of a warp of it, which run in step.
inline constexpr int64_t blockThreads = 256, warpThreads = 32;
/// Address spaces: of a device's main memory, and of what a block shares.
inline constexpr unsigned globalSpace = 1, sharedSpace = 3;
/// Of tensors, in bytes: the widest access.
inline constexpr int64_t deviceAlignment = ATTN_DEVICE_ALIGNMENT;
/// Elements of the widest access.
inline constexpr int64_t deviceLanes = deviceAlignment / 4;
/// On a device function: the number of threads of a block.
inline constexpr llvm::StringLiteral threadsAttrName = "attn.threads";
/// On an argument or a result of a kernel: the tensor may be an element of a list, which begins anywhere that suits its
/// own elements (compiler/Pipeline/DeviceAlignment.h).
inline constexpr llvm::StringLiteral unalignedAttrName = "attn.unaligned";

/// Whether no tensor of the kernel is such: what copies whole accesses asks.
bool isAligned(mlir::func::FuncOp kernel);

/// The number of a kernel's operand, or of what it is widened to, among its buffers.
unsigned bufferOf(mlir::Value tensor);

/// Where a thread is, and what it runs.
struct ThreadPlace {
  mlir::Value block, thread; ///< index: the block's number, and the thread's in it
  mlir::ModuleOp code;
  std::string symbol; ///< of the function
  int64_t threads;    ///< of the block
};

class DeviceFrame : public KernelFrame {
public:
  DeviceFrame(mlir::func::FuncOp kernel, llvm::StringRef symbol, mlir::ModuleOp code, int64_t threads = blockThreads);

  /// Of a buffer by its number among operands and results: !llvm.ptr.
  mlir::Value pointer(unsigned buffer) { return function.getArgument(buffer); }
  /// Of an operand, or of what it is widened to.
  mlir::Value pointerOf(mlir::Value tensor) { return pointer(bufferOf(tensor)); }
  /// The memory that all phases of a launch share (KernelCode::sharedBytes): !llvm.ptr.
  mlir::Value sharedScratch() { return function.getArgument(function.getNumArguments() - 2); }

  ThreadPlace place;

private:
  mlir::func::FuncOp function;
};

} // namespace attnc
