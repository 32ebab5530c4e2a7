//===- DeviceAlignment.h - alignment analysis of tensors in device memory ----------------------------------------===//
//
// Tensors in device memory are aligned to ATTN_DEVICE_ALIGNMENT bytes, except elements of lists (model.element,
// model.with_element) whose size is not a multiple of that. Operands and results of kernels that may be such an element
// get the attribute `attn.unaligned` (GPU/Nest/DeviceFrame.h): the kernel may then assume only the natural alignment of
// their elements.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Marks the kernels of a module after fuse. `mayShare(kernel, argument, result)`: whether both may be one buffer.
void markUnaligned(mlir::ModuleOp module, llvm::function_ref<bool(mlir::func::FuncOp, unsigned, unsigned)> mayShare);

} // namespace attnc
