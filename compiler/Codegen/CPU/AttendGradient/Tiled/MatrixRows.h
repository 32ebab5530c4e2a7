//===- MatrixRows.h - tensors of rows and keys as matrices of contiguous rows ---------------------------------===//
//
// The operands and results of the products of TiledGradient.h. Row r of a matrix belongs to row r, or key r, of the
// open batch.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/TiledContext.h"
#include "compiler/Codegen/Nest/TransposeRoutines.h"
#include <functional>

namespace attnc {

/// Rows of `columns` contiguous elements in the flat memref `flat`; offsetOf(r) emits the offset of row r.
struct Matrix {
  mlir::Value flat;
  std::function<mlir::Value(mlir::Value)> offsetOf;
  int64_t columns = 0;
  bool isStrided = false; ///< consecutive rows have a constant distance
};

/// Loads or stores vector `number` of the row at `offset`; lanes past the row's end are zero, and are not stored.
mlir::Value loadVector(FlatBuilder &code, const Matrix &matrix, mlir::Value offset, int64_t number);
void storeVector(FlatBuilder &code, mlir::Value vector, const Matrix &matrix, mlir::Value offset, int64_t number);

class MatrixRows : TiledContext {
public:
  using Value = mlir::Value;
  explicit MatrixRows(const TiledContext &context) : TiledContext(context) {}

  /// Row r is the `columns` elements that `extract` loads for row (or key) r of the batch as `index` counts from 0, in
  /// `memref`, which has the shape of the extract's tensor: its buffer, or the result with its gradient.
  Matrix ofRows(mlir::tensor::ExtractOp extract, mlir::BlockArgument index, Value memref, int64_t columns) const;
  Matrix ofKeys(mlir::tensor::ExtractOp extract, mlir::BlockArgument index, Value memref, int64_t columns) const;
  /// The factors of a dot product, in the buffers of their tensors.
  Matrix rowFactor(const GradientDot &dot) const;
  Matrix keyFactor(const GradientDot &dot) const;
  /// An argument of the kernel with the shape of the forward op's value: a row for each row of the batch.
  Matrix ofValues(Value tensor) const;
  /// Rows `first` and after of a matrix with isStrided; `count` exist.
  StridedRows strided(const Matrix &matrix, Value first, Value count) const;

private:
  /// Binds a row or a key of the batch by its number.
  using BindPoint = RegionVectoriser (GradientPhase::*)(Value);
  Matrix matrix(BindPoint bind, mlir::tensor::ExtractOp extract, mlir::BlockArgument index, Value memref,
                int64_t columns) const;
  bool isStrided(mlir::tensor::ExtractOp extract, unsigned index) const;
  Value offsetAt(RegionVectoriser &point, mlir::tensor::ExtractOp extract, Value memref) const;
  Value offset(mlir::ValueRange subscripts, Value memref) const;
};

} // namespace attnc
