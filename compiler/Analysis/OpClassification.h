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

/// expand_shape, collapse_shape or a cast: the same elements in the same order.
bool isFreeView(mlir::Operation *op);
/// A free view, a transpose or a slice with unit strides.
bool isView(mlir::Operation *op);
/// The tensor whose elements `value` shows through free views.
mlir::Value skipFreeViews(mlir::Value value);
/// `skipFreeViews`, and from a loop-carried value to its initial value.
mlir::Value storageOf(mlir::Value value);
/// The users of `value`, with those of its free views in place of the views.
llvm::SmallVector<mlir::OpOperand *> usesThroughFreeViews(mlir::Value value);

//===-------------------------------------------- generics ----------------------------------------------------===//

bool isPointwise(mlir::linalg::GenericOp op);
/// No linalg.index, tensor.extract or tensor.dim in the body: a function of the operands' elements alone.
bool isElementFunction(mlir::linalg::GenericOp op);
/// Some tensor.extract in the body has a subscript that comes from data.
bool readsByData(mlir::linalg::GenericOp op);
/// Each result is one element of one tensor, chosen by loop indices alone.
bool onlyMoves(mlir::linalg::GenericOp op);
/// Reads no tensor element: constants, indices, and elements of rank-0 tensors.
bool readsNothing(mlir::linalg::GenericOp op);
/// Reads nothing, and takes no longer to compute again than to load.
bool isCheapFormula(mlir::linalg::GenericOp op);
/// The out argument starts as zeros (an identity of addition).
bool startsFromZero(mlir::linalg::GenericOp op, unsigned result);

/// Loop dimensions of a contraction by their part in it, each list ascending.
struct ContractionDims {
  llvm::SmallVector<unsigned> batch, m, n, k;
  unsigned lhs = 0, rhs = 1; ///< operand numbers
};
/// Body `out + a * b` from zeros, two operands read by projected permutations, at least one reduction index in both,
/// and an index that only one of them has. `m` is the indices of the operand whose indices come first in the result.
std::optional<ContractionDims> matchContraction(mlir::linalg::GenericOp op);

/// The loop dimensions of a map whose results are plain, distinct dimensions; nothing otherwise.
std::optional<llvm::SmallVector<unsigned>> plainDims(mlir::AffineMap map);

/// Does `value` come from model.get, through free views?
bool isParameter(mlir::Value value);

/// The parameters that each function sets (model.set), gathered once.
class UpdatedParameters {
public:
  explicit UpdatedParameters(mlir::ModuleOp module);
  /// Is the value a parameter that the function around it sets?
  bool contains(mlir::Value value) const;

private:
  llvm::DenseSet<std::pair<mlir::Operation *, mlir::Attribute>> updated; ///< functions and names
};

/// Replaces `op` by one with other operands, maps and results, and the same body.
mlir::linalg::GenericOp rebuildGeneric(mlir::OpBuilder &builder, mlir::linalg::GenericOp op, mlir::ValueRange inputs,
                                       mlir::ValueRange inits, llvm::ArrayRef<mlir::AffineMap> maps,
                                       llvm::ArrayRef<mlir::utils::IteratorType> iterators);

} // namespace attnc
