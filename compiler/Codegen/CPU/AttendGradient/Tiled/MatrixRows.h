//===- MatrixRows.h - tensors of rows and keys as matrices of contiguous rows ---------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/TiledContext.h"
#include <functional>

namespace attnc {

/// Rows of `columns` contiguous floats; `offsetOf` returns the offset of a row by its number among the batch's rows or
/// keys.
struct Matrix {
  mlir::Value flat;
  std::function<mlir::Value(mlir::Value)> offsetOf;
  int64_t columns = 0;
};

class MatrixRows : TiledContext {
public:
  using Value = mlir::Value;
  explicit MatrixRows(const TiledContext &context)
      : TiledContext(context) {}

  /// The elements that `extract` loads for each row or key as `index` increases, in a buffer of the extract's tensor's
  /// shape.
  Matrix ofRows(mlir::tensor::ExtractOp extract, mlir::BlockArgument index, Value memref, int64_t columns) const;
  Matrix ofKeys(mlir::tensor::ExtractOp extract, mlir::BlockArgument index, Value memref, int64_t columns) const;
  /// Factors of a dot product, as operands.
  Matrix rowFactor(const GradientDot &dot) const;
  Matrix keyFactor(const GradientDot &dot) const;
  /// A tensor with the shape of the forward op's value.
  Matrix ofValues(Value tensor) const;

  /// Vector `number` of the row at `offset`; lanes past its end are zero, and not stored.
  Value load(const Matrix &matrix, Value offset, int64_t number) const;
  void store(Value vector, const Matrix &matrix, Value offset, int64_t number) const;

private:
  /// Binds a row or a key of the batch by its number.
  using BindPoint = RegionVectoriser (GradientPhase::*)(Value);
  Matrix matrix(BindPoint bind, mlir::tensor::ExtractOp extract, mlir::BlockArgument index, Value memref,
                int64_t columns) const;
  Value offsetAt(RegionVectoriser &point, mlir::tensor::ExtractOp extract, Value memref) const;
  Value offset(mlir::ValueRange subscripts, Value memref) const;

};

} // namespace attnc
