//===- FormulaBindings.h - the values of a formula that are already in generated code ---------------------------===//
//
// A formula is a region on scalars. Its bindings map indices, values and tensors of the IR to values of generated code
// on vector lanes. The analyses below need only bindings and emit nothing.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/LaneArithmetic.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"

namespace attnc {

class FormulaBindings {
public:
  /// `index` (any value of type index) is scalarBase + lane * step.
  void bindIndex(mlir::Value index, mlir::Value scalarBase, int64_t step = 0);
  void bindIndex(mlir::Value index, LaneIndex value);
  /// `value` (f32, i32 or i1) is this scalar, or this vector of shape [L].
  void bindValue(mlir::Value value, mlir::Value vectorOrScalar);
  /// `tensor` is stored in this memref, whose elements have the tensor's type or a narrower one (memRefOf), and whose
  /// innermost stride is 1. A memref of lower rank is subscripted by the last subscripts alone: one row of the tensor.
  void bindBuffer(mlir::Value tensor, mlir::Value memref);
  /// The element of `tensor` at these subscripts.
  void bindElement(mlir::Value tensor, llvm::ArrayRef<LaneIndex> subscripts, mlir::Value value);
  /// The iteration indices of `op`: linalg.index d, and the subscripts of its operands. A block argument may also be
  /// bound by bindValue (an accumulator).
  void bindIterations(mlir::linalg::GenericOp op, llvm::ArrayRef<LaneIndex> indices);

  bool isBound(mlir::Value value) const { return values.contains(value) || indices.contains(value); }
  /// Whether all that `value` depends on is bound.
  bool isAvailable(mlir::Value value) const;
  /// Whether `value` can differ between lanes.
  bool varies(mlir::Value value) const;

protected:
  using Subscripts = llvm::SmallVector<LaneIndex, 4>;

  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::Value, LaneIndex> indices;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::DenseMap<mlir::Operation *, Subscripts> iterations;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Subscripts, mlir::Value>>> loads;

private:
  bool isAvailable(mlir::Value value, llvm::DenseMap<mlir::Value, bool> &seen) const;
  bool varies(mlir::Value value, llvm::DenseMap<mlir::Value, bool> &seen) const;
};

} // namespace attnc
