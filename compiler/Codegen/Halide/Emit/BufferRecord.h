//===- BufferRecord.h - halide_buffer_t, Halide's descriptor of a tensor ------------------------------------------===//
//
// Halide's functions receive each tensor as a pointer to a record halide_buffer_t. A kernel phase (StagePhase.h)
// creates these records before it calls Halide's code.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/ArrayRef.h"

namespace attnc::halide {

/// A dimension of a halide_buffer_t: its first index, its number of indices, and the distance of adjacent indices in
/// elements.
struct RecordDimension {
  mlir::Value first, count, stride; ///< of type index; the values must fit in 32 bits
};

/// Emits the aligned pointer (!llvm.ptr) of a memref; the offset of the memref is not added.
mlir::Value pointerOf(mlir::ImplicitLocOpBuilder &b, mlir::Value memref);

/// Emits a halide_buffer_t for the elements at `pointer`, with these dimensions, innermost first, and returns a pointer
/// to it (!llvm.ptr). The record is allocated on the stack in `function`, the entry block of the function around the
/// insertion point; LLVM promotes it to registers. Fields for other purposes, such as the element type, are zero.
mlir::Value bufferRecord(mlir::ImplicitLocOpBuilder &b, mlir::Block *function, mlir::Value pointer,
                         llvm::ArrayRef<RecordDimension> dimensions);

} // namespace attnc::halide
