//===- BufferRecord.h - what Halide's code knows of a tensor ------------------------------------------------------===//
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/ArrayRef.h"

namespace attnc::halide {

struct RecordDimension {
  mlir::Value first, count, stride; ///< index
};

/// Where the elements of a memref are.
mlir::Value pointerOf(mlir::ImplicitLocOpBuilder &b, mlir::Value memref);

/// A halide_buffer_t of what is at `pointer`, with its dimensions behind it, innermost first. It is on the stack, from
/// the start of `function` on; LLVM takes it apart.
mlir::Value bufferRecord(mlir::ImplicitLocOpBuilder &b, mlir::Block *function, mlir::Value pointer,
                         llvm::ArrayRef<RecordDimension> dimensions);

} // namespace attnc::halide
