//===- ChunkOps.h - writer of ops for the positions of a call -----------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/ChunkValues.h"

namespace attnc {

/// Writes the ops of f in next or next_prefill, each restricted to the positions of the call (ChunkWriter.h).
class ChunkOps {
public:
  explicit ChunkOps(ChunkValues &chunk)
      : chunk(chunk), dims(chunk.dims), builder(chunk.builder), values(chunk.values) {}
  /// Writes `op`, an op of f on tensors but no loop, at the builder of the ChunkValues, and maps its results in
  /// ChunkValues::values. next_begin must not compute its results, and its operands must be written before. A
  /// tensor.empty whose extents are not known here, and a linalg.fill of it, are not written.
  void write(mlir::Operation &op);

private:
  void write(mlir::linalg::GenericOp op);
  void write(mlir::attn::AttendOp op);
  void write(mlir::model::ElementOp op);
  void write(mlir::model::WithElementOp op);
  void write(mlir::linalg::TransposeOp op);
  void write(mlir::tensor::ExpandShapeOp op);
  void write(mlir::tensor::CollapseShapeOp op);
  void write(mlir::tensor::ExtractSliceOp op);
  void write(mlir::tensor::ConcatOp op);
  void writeTableSlice(mlir::tensor::ExtractSliceOp op);

  ChunkValues &chunk;
  PositionDims &dims;
  mlir::OpBuilder &builder;
  mlir::IRMapping &values;
};

} // namespace attnc
