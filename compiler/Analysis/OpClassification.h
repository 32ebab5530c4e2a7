//===- OpClassification.h - classification of tensor ops ----------------------------------------------------------===//
//
//   pointwise    a linalg.generic, all loops parallel, each result written at its loop indices in order
//   contraction  a linalg.generic  sum_k  lhs[batch, m, k] * rhs[batch, k, n]  in any order of the indices
//   view         rearranges or selects elements: transpose, slice, reshape
//   free view    a reshape of dense row-major elements, which costs nothing
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace attnc {

//===-------------------------------------------- views -------------------------------------------------------===//

/// True for expand_shape, collapse_shape and casts: the same elements in the same order.
bool isFreeView(mlir::Operation *op);
/// True for a free view, a transpose, or a slice with unit strides.
bool isView(mlir::Operation *op);
/// The tensor from which free views derive `value`.
mlir::Value skipFreeViews(mlir::Value value);
/// Like skipFreeViews, and also continues from a loop-carried value to its initial value.
mlir::Value storageOf(mlir::Value value);
/// The uses of `value`, with the uses of a free view instead of the view, and without those by tensor.dim.
llvm::SmallVector<mlir::OpOperand *> usesThroughFreeViews(mlir::Value value);

//===-------------------------------------------- generics ----------------------------------------------------===//

/// True for a pointwise op, as defined above.
bool isPointwise(mlir::linalg::GenericOp op);
/// True if the results depend on the operands' elements alone: the body has no linalg.index, tensor.extract or
/// tensor.dim.
bool isElementFunction(mlir::linalg::GenericOp op);
/// True if a tensor.extract in the body has a subscript that depends on elements.
bool readsByData(mlir::linalg::GenericOp op);
/// True if the op is pointwise with one result, each element of which is one element of one tensor, selected by indices
/// and sizes alone.
bool onlyMoves(mlir::linalg::GenericOp op);
/// True if the op reads only constants, indices, and elements of rank-0 tensors.
bool readsNothing(mlir::linalg::GenericOp op);
/// True if the op reads nothing, and recomputing an element costs less than loading it.
bool isCheapFormula(mlir::linalg::GenericOp op);
/// True if the initial value of result number `result` consists of zeros (the identity of addition).
bool startsFromZero(mlir::linalg::GenericOp op, unsigned result);

/// Role of an op in a rows kernel, which has leading parallel loops and at most one loop over the elements of a
/// row: a formula with one result element a row, a formula with one for each element of a row, a reduction of each row.
enum class RowRole { Scalar, Map, Reduction };

/// Loop dimensions of a contraction by role: batch, m and n in the order of the result's dimensions, k ascending.
struct ContractionDims {
  llvm::SmallVector<unsigned> batch, m, n, k;
  unsigned lhs = 0, rhs = 1; ///< operand numbers of the matrices with `m` and with `n`
};
/// Matches the body `out + a * b` of f32 from zeros, with two operands read by projected permutations, at least one
/// reduction index, all of them in both operands, and the result's last index in one operand only. That index is in
/// `n`; `m` may be empty. Null for other ops.
std::optional<ContractionDims> matchContraction(mlir::linalg::GenericOp op);

/// The loop dimensions of a map whose results are distinct dimensions; null for other maps.
std::optional<llvm::SmallVector<unsigned>> plainDims(mlir::AffineMap map);

/// True if `value` is a model.get, or a free view of one.
bool isParameter(mlir::Value value);

/// The parameters that each function sets (model.set), collected once.
class UpdatedParameters {
public:
  explicit UpdatedParameters(mlir::ModuleOp module);
  /// True if the value is a model.get, or a free view of one, of a parameter that the same function sets.
  bool contains(mlir::Value value) const;

private:
  llvm::DenseSet<std::pair<mlir::Operation *, mlir::Attribute>> updated; ///< functions with names of parameters
};

/// Creates a copy of `op` with the same body and other operands, maps and results.
mlir::linalg::GenericOp rebuildGeneric(mlir::OpBuilder &builder, mlir::linalg::GenericOp op, mlir::ValueRange inputs,
                                       mlir::ValueRange inits, llvm::ArrayRef<mlir::AffineMap> maps,
                                       llvm::ArrayRef<mlir::utils::IteratorType> iterators);

} // namespace attnc
