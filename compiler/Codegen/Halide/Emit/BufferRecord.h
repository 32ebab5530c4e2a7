//===- BufferRecord.h - halide_buffer_t, Halide's descriptor of a tensor ------------------------------------------===//
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/ArrayRef.h"

namespace attnc::halide {

struct RecordDimension {
  mlir::Value first, count, stride; ///< index
};

/// Returns the pointer to the elements of a memref.
mlir::Value pointerOf(mlir::ImplicitLocOpBuilder &b, mlir::Value memref);

/// Creates a halide_buffer_t for the elements at `pointer`, followed by its dimensions, innermost first. It is
/// allocated on the stack at the start of `function`; LLVM promotes it to registers.
mlir::Value bufferRecord(mlir::ImplicitLocOpBuilder &b, mlir::Block *function, mlir::Value pointer,
                         llvm::ArrayRef<RecordDimension> dimensions);

} // namespace attnc::halide
