//===- OpEvaluation.h - evaluation of single ops on arrays --------------------------------------------------------===//
//
// Each overload of evaluate() computes the results of one op from the arrays of its operands and of the values that its
// regions capture. The overloads are grouped by dialect: TensorOps.cpp has tensors and lists, LinalgOps.cpp linalg,
// AttendOps.cpp and AttendGradientOps.cpp attention, its gradient and scatter-add, ElementwiseOps.cpp constants and
// elementwise ops. An error is recorded in the context's `fault`.
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

/// The arrays of the values in scope, the simulated rounding, and the record of the first error.
struct OpContext {
  const Environment &values;
  Rounding rounding;
  Fault &fault;

  const Array &arrayOf(mlir::Value value) const { return *values.at(value); }
  int64_t integerOf(mlir::Value value) const { return static_cast<int64_t>(arrayOf(value).values[0]); }
  int64_t integerOf(mlir::OpFoldResult value) const;
  llvm::SmallVector<int64_t> integersOf(mlir::ValueRange range) const;
  llvm::SmallVector<int64_t> integersOf(llvm::ArrayRef<mlir::OpFoldResult> range) const;
  llvm::FailureOr<Formula> formula(mlir::Region &region) const {
    return Formula::read(region, values, rounding, fault);
  }
  /// The number of terms of all reductions in the op's formulas, as if they formed one chain of sums. A size that is
  /// not yet computed counts as 1.
  int64_t termsOfReductionsIn(mlir::Operation *op) const;
};

/// A result and the number of terms that the op itself sums for each of its elements.
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
/// Elementwise ops: `arith`, `math` and affine ops on scalars; `arith` and `math` ops also on tensors.
llvm::FailureOr<Array> evaluateElementwise(mlir::Operation *op, const OpContext &context);

} // namespace attnc::reference
