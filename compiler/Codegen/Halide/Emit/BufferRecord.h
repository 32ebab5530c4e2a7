//===- BufferRecord.h - halide_buffer_t, Halide's descriptor of a tensor ------------------------------------------===//
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/ArrayRef.h"

namespace attnc::halide {

/// A dimension of a halide_buffer_t: its first index, the number of indices, and the distance of two, in elements.
struct RecordDimension {
  mlir::Value first, count, stride; ///< index; at most 32 bits
};

/// Returns the pointer to the elements of a memref, without its offset.
mlir::Value pointerOf(mlir::ImplicitLocOpBuilder &b, mlir::Value memref);

/// Creates a halide_buffer_t for the elements at `pointer`, followed by its dimensions, innermost first. It is
/// allocated on the stack at the start of `function`, the entry block; LLVM promotes it to registers. Returns the
/// pointer to it.
mlir::Value bufferRecord(mlir::ImplicitLocOpBuilder &b, mlir::Block *function, mlir::Value pointer,
                         llvm::ArrayRef<RecordDimension> dimensions);

} // namespace attnc::halide
