//===- DeviceAlignment.h - which tensors of a device begin where whole accesses do -------------------------------===//
//
// Tensors in the memory of a device are aligned to ATTN_DEVICE_ALIGNMENT bytes, but for elements of lists
// (model.element, model.with_element) whose size is no multiple of that. Kernels that may be handed one are told which
// of their operands and results it is, by `attn.unaligned` (GPU/Nest/DeviceFrame.h): there they know the alignment of
// elements alone.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Marks kernels of a module behind fuse. `mayShare(kernel, argument, result)`: they may be one buffer.
void markUnaligned(mlir::ModuleOp module, llvm::function_ref<bool(mlir::func::FuncOp, unsigned, unsigned)> mayShare);

} // namespace attnc
