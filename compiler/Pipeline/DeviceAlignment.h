//===- DeviceAlignment.h - alignment analysis of tensors in device memory -----------------------------------------===//
//
// Tensors in device memory are aligned to ATTN_DEVICE_ALIGNMENT bytes. The exceptions are elements of per-iteration
// lists (model.element, model.with_element) whose size in bytes is not known to be a multiple of that number. An
// operand or result of a kernel that may be such an element, or share its memory, gets the attribute `attn.unaligned`
// (GPU/Nest/DeviceFrame.h). The kernel may then assume only the alignment of the element type.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace attnc {

/// Sets the attribute on the kernels of a module after fuse. `mayShare(kernel, argument, result)` returns whether these
/// two may be one buffer.
void markUnaligned(mlir::ModuleOp module, llvm::function_ref<bool(mlir::func::FuncOp, unsigned, unsigned)> mayShare);

} // namespace attnc
