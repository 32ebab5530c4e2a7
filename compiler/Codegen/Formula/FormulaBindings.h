//===- FormulaBindings.h - map from a kernel's IR values to values of generated code ------------------------------===//
//
// A formula is a region on scalars, such as the body of a linalg.generic, that computes one element. Generated code
// evaluates it for L elements at once, one in each vector lane. The bindings of a formula map indices, values and
// tensors of the kernel's IR to values of the generated code: a LaneIndex (LaneArithmetic.h), a scalar or a vector of L
// lanes, and a memref. RegionVectoriser derives from this class and emits the code; the functions here emit nothing.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/LaneArithmetic.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"

namespace attnc {

/// Whether `value` is defined in a region of `op`.
bool isDefinedInside(mlir::Value value, mlir::Operation *op);

/// In the names of parameters, the first value is of the kernel's IR and the second one of the generated code. A later
/// binding of the same value replaces the earlier one (except bindElement), but not results that were computed from it.
class FormulaBindings {
public:
  /// `index` (any value of type index) is scalarBase + lane * step; scalarBase has type index. The index is marked as
  /// proved; the second function keeps the mark of `value` (LaneIndex::proved).
  void bindIndex(mlir::Value index, mlir::Value scalarBase, int64_t step = 0);
  void bindIndex(mlir::Value index, LaneIndex value);
  /// `value` (f32, i32 or i1) is this scalar of the same type in all lanes, or this vector of shape [L].
  void bindValue(mlir::Value value, mlir::Value vectorOrScalar);
  /// `tensor` is stored in this memref. Elements of the memref have the storage type of the tensor's elements (memRefOf
  /// in KernelFrame.h: i1 as bytes) or are bf16 or f16 for f32, and its innermost stride is 1. A memref of lower rank
  /// is part of the tensor, such as one row; accesses then use the last subscripts alone.
  void bindBuffer(mlir::Value tensor, mlir::Value memref);
  /// A load of `tensor` at exactly these subscripts is `value` (a scalar or a vector of shape [L]), without an access.
  /// Has no effect if an element at these subscripts was bound or loaded before.
  void bindElement(mlir::Value tensor, llvm::ArrayRef<LaneIndex> subscripts, mlir::Value value);
  /// indices[d] is the index of loop d of `op`: the result of linalg.index d, from which the subscripts of operands
  /// follow. The block arguments of `op` are then loads of the operands, except those bound by bindValue, as an
  /// accumulator is.
  void bindIterations(mlir::linalg::GenericOp op, llvm::ArrayRef<LaneIndex> indices);

  /// Whether `value` is bound, by bindIndex or bindValue, or was evaluated before.
  bool isBound(mlir::Value value) const { return values.contains(value) || indices.contains(value); }
  /// Whether all indices and scalars that `value` depends on are bound, so that it can be evaluated. Tensors count as
  /// bound.
  bool isAvailable(mlir::Value value) const;
  /// Whether `value` can differ between lanes: it depends on a bound vector or on a bound index that is not uniform. An
  /// unbound index counts as uniform. A loaded element depends on its subscripts only; bindElement() is not considered.
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
