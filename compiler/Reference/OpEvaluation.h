//===- OpEvaluation.h - evaluation of single ops on arrays --------------------------------------------------------===//
//
// Each overload of evaluate() computes the results of one op from the arrays of its operands and of the values that its
// regions capture. The interpreter (Interpreter.cpp) calls them for each op except calls, control flow and accesses to
// parameters, and binds the results. The overloads are grouped by dialect: TensorOps.cpp has tensors and lists,
// LinalgOps.cpp linalg, AttendOps.cpp and AttendGradientOps.cpp attention, its gradient and scatter-add,
// ElementwiseOps.cpp constants and elementwise ops. A function that fails has recorded an error in the context's
// `fault`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Formula.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attnc::reference {

/// The state that evaluate() reads.
struct OpContext {
  const Environment &values; ///< the arrays of the values that are computed so far
  Rounding rounding;         ///< the simulated rounding
  Fault &fault;              ///< the record of the first error

  /// The array of `value`, which must be computed.
  const Array &arrayOf(mlir::Value value) const { return *values.at(value); }
  /// The value of an integer or `index` scalar, and below of several.
  int64_t integerOf(mlir::Value value) const { return static_cast<int64_t>(arrayOf(value).values[0]); }
  int64_t integerOf(mlir::OpFoldResult value) const;
  llvm::SmallVector<int64_t> integersOf(mlir::ValueRange range) const;
  llvm::SmallVector<int64_t> integersOf(llvm::ArrayRef<mlir::OpFoldResult> range) const;
  /// The formula of a region of an op (Formula.h).
  llvm::FailureOr<Formula> formula(mlir::Region &region) const {
    return Formula::read(region, values, rounding, fault);
  }
  /// The number of terms of all attn.reduce in the op's formulas together, as if they formed one chain of sums. A size
  /// that is not computed yet counts as 1.
  int64_t termsOfReductionsIn(mlir::Operation *op) const;
};

/// A result, and the number of terms that the op itself sums for each element of it (for Array::terms).
struct SummedArray {
  Array array;
  int64_t terms = 0;
};

llvm::FailureOr<Array> evaluate(mlir::arith::ConstantOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::tensor::EmptyOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::tensor::DimOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::tensor::ExtractOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::tensor::InsertOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::tensor::ExpandShapeOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::tensor::CollapseShapeOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::tensor::CastOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::tensor::ExtractSliceOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::tensor::InsertSliceOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::tensor::ConcatOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::tensor::PadOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::tensor::FromElementsOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::tensor::SplatOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::tensor::GenerateOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::model::ElementOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::model::WithElementOp op, const OpContext &context);
llvm::FailureOr<Array> evaluate(mlir::model::AppendOp op, const OpContext &context);
llvm::FailureOr<std::vector<SummedArray>> evaluate(mlir::linalg::LinalgOp op, const OpContext &context);
llvm::FailureOr<std::vector<SummedArray>> evaluate(mlir::attn::AttendOp op, const OpContext &context);
llvm::FailureOr<std::vector<SummedArray>> evaluate(mlir::attn::AttendGradientOp op, const OpContext &context);
llvm::FailureOr<std::vector<SummedArray>> evaluate(mlir::attn::ScatterAddOp op, const OpContext &context);
/// Elementwise ops: those of scalarFunction() on scalars or on tensors, and affine ops on scalars. The result has the
/// shape of the last operand; another operand that is a scalar counts for all elements. Fails for any other op, for
/// other shapes, for an element type that elementOf() rejects, and for an integer division by 0.
llvm::FailureOr<Array> evaluateElementwise(mlir::Operation *op, const OpContext &context);

} // namespace attnc::reference
