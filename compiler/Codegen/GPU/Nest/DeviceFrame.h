//===- DeviceFrame.h - device function of a kernel phase, with its operands unpacked ------------------------------===//
//
// DeviceFrame is the KernelFrame of a device: it creates the function of a kernel phase and provides its operands as
// values. The function is executed by every thread of every block:
//
//   func.func @name(buffers..., sizes..., %shared, %status) attributes {attn.threads = 256}
//
// The chunk of a block is its number in the launch. Buffers (!llvm.ptr) and sizes (i64) are those of attn_kernel_args,
// in order. `%shared` (!llvm.ptr) points to the scratch that the launch shares, in global memory, `%status` to the i32
// that receives an attn_code. Tensors are aligned to `deviceAlignment` bytes unless they are marked `attn.unaligned`,
// so that LLVM can merge four f32 elements into one access. There is no scratch of a worker. lowerDeviceCode
// (DeviceBackend.h) makes the function a PTX kernel.
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
/// Number of f32 elements of the widest access of a thread.
inline constexpr int64_t deviceLanes = deviceAlignment / 4;
/// On a device function: the number of threads of a block (i64).
inline constexpr llvm::StringLiteral threadsAttrName = "attn.threads";
/// On an argument or a result of a kernel: the tensor may be an element of a per-iteration list, aligned to its own
/// elements only (compiler/Pipeline/DeviceAlignment.h).
inline constexpr llvm::StringLiteral unalignedAttrName = "attn.unaligned";

/// Whether no argument or result of the kernel has `attn.unaligned`. TMA copies, and attention by tensor cores, require
/// it.
bool isAligned(mlir::func::FuncOp kernel);

/// The number of the buffer of `tensor`, an argument of the kernel or the f32 value that it is widened to: the number
/// of tensor arguments before it. Requires one of the two.
unsigned bufferNumber(mlir::Value tensor);

/// The coordinates of the executing thread in its launch, as values in the code, and the function that contains the
/// code.
struct ThreadPosition {
  mlir::Value block, thread; ///< index: the block's number, and the thread's in it
  mlir::ModuleOp code;       ///< the module of the function
  std::string symbol;        ///< of the function
  int64_t threads;           ///< of a block
};

/// The function of a kernel phase on a device, under construction. scratch() and shared() of KernelFrame must not be
/// called.
class DeviceFrame : public KernelFrame {
public:
  /// Creates the function `symbol` of a phase of `kernel` at the end of the device's module `code`, without code but
  /// for its operands, the block and thread number and its return. `threads`, the threads of a block, is a multiple of
  /// 32.
  DeviceFrame(mlir::func::FuncOp kernel, llvm::StringRef symbol, mlir::ModuleOp code, int64_t threads = blockThreads);

  /// The pointer (!llvm.ptr) of a buffer, by its number: tensor operands first, then results.
  mlir::Value pointer(unsigned buffer) { return function.getArgument(buffer); }
  /// The pointer of an operand, or of the operand that `tensor` widens.
  mlir::Value pointerOf(mlir::Value tensor) { return pointer(bufferNumber(tensor)); }
  /// Scratch in global memory that all phases of a launch share (KernelCode::sharedBytes): !llvm.ptr, aligned to
  /// ATTN_ALIGNMENT. Unspecified if the kernel needs none.
  mlir::Value sharedScratch() { return function.getArgument(function.getNumArguments() - 2); }

  ThreadPosition position;

private:
  mlir::func::FuncOp function;
};

} // namespace attnc
