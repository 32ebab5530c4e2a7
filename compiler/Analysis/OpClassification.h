//===- OpClassification.h - classification of tensor ops ----------------------------------------------------------===//
//
//   pointwise    a linalg.generic with parallel loops only, which writes each result at the loop indices in order, and
//                whose operands are indexed by distinct loop indices or by 0
//   contraction  a linalg.generic  sum_k  lhs[batch, m, k] * rhs[batch, k, n]  in any order of the indices: m are the
//                indices of rows, n of columns, k the depth that is summed, batch the indices in both operands and in
//                the result
//   view         rearranges or selects elements: transpose, slice, reshape
//   free view    a reshape of dense row-major elements, which costs nothing
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace attnc {

//===-------------------------------------------- views -------------------------------------------------------===//

/// True for expand_shape, collapse_shape and tensor.cast, whose results have the elements of the operand in the same
/// order. False for other ops and for null.
bool isFreeView(mlir::Operation *op);
/// True for a free view, a linalg.transpose, or an extract_slice with unit strides; false for other ops and for null.
bool isView(mlir::Operation *op);
/// The operand of the first of the free views that compute `value`; `value` itself if no free view does.
mlir::Value skipFreeViews(mlir::Value value);
/// Like skipFreeViews; where this leads to a loop-carried argument of an scf.for, continues from its initial value.
mlir::Value storageOf(mlir::Value value);
/// The uses of `value` except by tensor.dim; a use by a free view is replaced, recursively, by the uses of its result.
llvm::SmallVector<mlir::OpOperand *> usesThroughFreeViews(mlir::Value value);

//===-------------------------------------------- generics ----------------------------------------------------===//

/// True for a pointwise op, as defined above.
bool isPointwise(mlir::linalg::GenericOp op);
/// True if the body has no linalg.index, tensor.extract or tensor.dim, and no op with a region: the results depend on
/// the operands' elements, and on scalars that the body captures, alone.
bool isElementFunction(mlir::linalg::GenericOp op);
/// True if a tensor.extract in the body, at any depth, has a subscript that the body's own block (not a nested region)
/// computes from tensor elements. In contrast to DataSubscripts.h, 32-bit arithmetic on indices does not count, and the
/// condition of a select counts.
bool readsByData(mlir::linalg::GenericOp op);
/// True if the op is pointwise with one result and moves elements unchanged: it yields an input's element, or the
/// result of a tensor.extract, and not readsByData().
bool onlyMoves(mlir::linalg::GenericOp op);
/// True if all inputs of the op, and all tensors that its body reads by tensor.extract, are scalars or have rank 0.
bool readsNothing(mlir::linalg::GenericOp op);
/// True if readsNothing() and one evaluation of the body costs less than a load: under 8 instructions by OpCost.h.
bool isCheapFormula(mlir::linalg::GenericOp op);
/// True if the initial value of result number `result` is a linalg.fill with 0 or a constant of floating-point zeros.
bool startsFromZero(mlir::linalg::GenericOp op, unsigned result);

/// Role of an op in a rows kernel, whose ops have the same leading parallel loops, one iteration for each row, and at
/// most one loop over the elements of a row. Scalar: a formula with one result element for each row. Map: a formula
/// with one result element for each element of a row. Reduction: a reduction of each row to one result element.
enum class RowRole { Scalar, Map, Reduction };

/// The loops of a contraction, by number and role: batch, m and n in the order of the result's dimensions, k ascending.
struct ContractionDims {
  llvm::SmallVector<unsigned> batch, m, n, k;
  unsigned lhs = 0, rhs = 1; ///< numbers of the operand that `m` indexes and of the operand that `n` indexes
};
/// Matches a contraction of two f32 tensors to one f32 result that starts from zeros. The body is `out + a * b` alone,
/// each subscript is a loop index, and no tensor has an index twice. Each reduction index is in both operands, and
/// there is at least one; each index of the result is in an operand. The last index of the result is in one operand
/// only, and is the last of `n`; a vector operand has an empty `m`. Null for other ops, such as the dot product of two
/// vectors.
std::optional<ContractionDims> matchContraction(mlir::linalg::GenericOp op);

/// A grouped product: a contraction whose right matrix is selected row by row, by the elements of an i32 tensor.
/// Mixtures of experts consist of such products.
///
///   result[rows.., columns..] =
///       sum over depth.. of left[rows.., depth..] * matrices[selector[rows..], columns.., depth..]
///
/// The loops of the selector are row loops. Left may lack row loops; its dimensions, and those of `matrices` after the
/// first, are in any order. The op may also sum over rows, as in the gradient of a row that several matrices share:
///
///   result[t, column] = sum over r, depth of left[t, r, depth] * matrices[selector[t, r], column, depth]
struct GroupedContraction {
  unsigned left, selector;                 ///< numbers of the operands
  mlir::tensor::ExtractOp element;         ///< the read of the selected matrix, in the body
  llvm::SmallVector<unsigned> matrixLoops; ///< the loops that index the dimensions of `matrices` after the first
  llvm::SmallVector<unsigned> summedRows;  ///< the row loops that the result lacks, ascending
};
/// Matches a grouped product of f32 tensors to one f32 result that starts from zeros, and whose innermost dimension is
/// the only column. The columns are the first or the last dimension of each matrix. Null for other ops.
std::optional<GroupedContraction> matchGroupedContraction(mlir::linalg::GenericOp op);

/// A grouped outer product, the gradient of a grouped product with respect to its matrices: an attn.scatter_add in
/// which the selector has the number of the matrix that each outer product of two rows is added to.
///
///   result[e, row, column] = init[e, row, column]
///       + sum over depth.. with selector[depth..] = e of left[depth.., row] * right[depth.., column]
struct GroupedOuterProduct {
  /// A tensor whose dimension d is subscripted by loop loops[d].
  struct Operand {
    mlir::Value tensor;
    llvm::SmallVector<unsigned> loops;
  };
  Operand left, right, selector; ///< any of them may lack depth loops
  unsigned row, column;          ///< loops; all others are depth loops
};
/// Matches a grouped outer product of f32 tensors by an i32 selector, to a result of rank 3. Null for other ops.
std::optional<GroupedOuterProduct> matchGroupedOuterProduct(mlir::attn::ScatterAddOp op);

/// The positions of the dimensions that the results of `map` are, in order. Null unless each result is a dimension, and
/// no two are the same.
std::optional<llvm::SmallVector<unsigned>> plainDims(mlir::AffineMap map);

/// True if `value` is a model.get, or derived from one by free views.
bool isParameter(mlir::Value value);

/// The parameters that training steps read in their current values, as of the construction of this object. Training
/// steps, which are the functions with a model.set, may be called in turn, and weights are not packed between them. A
/// training step therefore must not read a parameter packed if any training step sets it.
class UpdatedParameters {
public:
  explicit UpdatedParameters(mlir::ModuleOp module);
  /// True if `value` is in a training step, and is a model.get, or derived from one by free views, of a parameter that
  /// a training step sets. For a list of parameters, a model.set of any element counts.
  bool contains(mlir::Value value) const;

private:
  llvm::DenseSet<mlir::Operation *> steps;
  llvm::DenseSet<mlir::Attribute> updated; ///< names of parameters
};

/// Creates a copy of `op` at the builder's insertion point, with the same body and other operands, maps and iterators.
/// There must be as many inputs and inits as in `op`; the result types are those of `inits`. Other attributes of `op`,
/// such as a group mark, are not copied.
mlir::linalg::GenericOp rebuildGeneric(mlir::OpBuilder &builder, mlir::linalg::GenericOp op, mlir::ValueRange inputs,
                                       mlir::ValueRange inits, llvm::ArrayRef<mlir::AffineMap> maps,
                                       llvm::ArrayRef<mlir::utils::IteratorType> iterators);

} // namespace attnc
