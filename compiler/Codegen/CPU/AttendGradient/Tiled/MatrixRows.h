//===- MatrixRows.h - operands of the tiled gradient of attention as matrices of contiguous rows ------------------===//
//
// The matrix products of TiledGradient.h read and write tensors. This header describes a tensor as a matrix: row r of
// the matrix is the elements that belong to row (query) r, or to key r, of the open batch.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/TiledContext.h"
#include "compiler/Codegen/Nest/TransposeRoutines.h"
#include <functional>

namespace attnc {

/// Rows of `columns` contiguous elements in `flat`, a flat memref of floats. offsetOf(r) emits the offset of row r;
/// both are of type index.
struct Matrix {
  mlir::Value flat;
  std::function<mlir::Value(mlir::Value)> offsetOf;
  int64_t columns = 0;
  bool isStrided = false; ///< consecutive rows have a constant distance
};

/// Emit the load or store of vector number `number` of the row of `matrix` at `offset` (Matrix::offsetOf). Lanes past
/// the end of the row are loaded as zero, and are not stored.
mlir::Value loadVector(FlatBuilder &code, const Matrix &matrix, mlir::Value offset, int64_t number);
void storeVector(FlatBuilder &code, mlir::Value vector, const Matrix &matrix, mlir::Value offset, int64_t number);

/// Creates matrices for the open batch of the context's phase. They refer to this object, and are valid while that
/// batch is open.
class MatrixRows : TiledContext {
public:
  using Value = mlir::Value;
  explicit MatrixRows(const TiledContext &context) : TiledContext(context) {}

  /// The matrix whose row r is the elements of `memref` at the subscripts of `extract` for row (or key) r of the batch,
  /// with `index` = 0 .. columns - 1. `memref` has the shape of the extract's tensor: it is the tensor's buffer, or the
  /// result that is its gradient.
  Matrix ofRows(mlir::tensor::ExtractOp extract, mlir::BlockArgument index, Value memref, int64_t columns) const;
  Matrix ofKeys(mlir::tensor::ExtractOp extract, mlir::BlockArgument index, Value memref, int64_t columns) const;
  /// The row factor, or the key factor, of a dot product, in the buffer of its tensor.
  Matrix rowFactor(const GradientDot &dot) const;
  Matrix keyFactor(const GradientDot &dot) const;
  /// The matrix of `tensor`, an argument of the kernel with the shape of the forward op's value (the saved value or its
  /// cotangent): a row for each row of the batch.
  Matrix ofValues(Value tensor) const;
  /// The rows of `matrix` from row `first` on, of which `count` exist (index). Requires matrix.isStrided.
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
