//===- Interpreter.h - one call of a function, interpreted -------------------------------------------------------===//
//
// An interpreter holds the values of one call. Its methods are grouped by dialect: Interpreter.cpp has functions,
// control flow, parameters and scalars, TensorOps.cpp tensors, LinalgOps.cpp linalg, AttendOps.cpp attention.
//
// Every value is an Array, shared and never changed; a scalar is one without dimensions. A method gives its op's
// results their values, of the shapes that the types say, and fails where it can not: `fault` then has what was wrong
// and at which op, and the call is over.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Formula.h"
#include "compiler/Reference/Reference.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace attnc::reference {

class Interpreter {
public:
  Interpreter(const Parameters &parameters, Parameters &updates, Fault &fault, Rounding rounding)
      : parameters(parameters), updates(updates), fault(fault), rounding(rounding) {}

  llvm::FailureOr<std::vector<SharedArray>> call(mlir::func::FuncOp function, llvm::ArrayRef<SharedArray> inputs);

private:
  using Sizes = llvm::SmallVector<int64_t>;

  llvm::LogicalResult run(mlir::Block &block); ///< all but the terminator
  llvm::LogicalResult run(mlir::Operation &op);
  llvm::LogicalResult run(mlir::func::CallOp op);
  llvm::LogicalResult run(mlir::scf::ForOp op);
  llvm::LogicalResult run(mlir::scf::IfOp op);
  llvm::LogicalResult run(mlir::model::GetOp op);
  llvm::LogicalResult run(mlir::model::SetOp op);
  llvm::LogicalResult run(mlir::model::ElementOp op);
  llvm::LogicalResult run(mlir::model::WithElementOp op);
  llvm::LogicalResult run(mlir::model::AppendOp op);
  llvm::LogicalResult run(mlir::arith::ConstantOp op);
  llvm::LogicalResult run(mlir::tensor::EmptyOp op);
  llvm::LogicalResult run(mlir::tensor::DimOp op);
  llvm::LogicalResult run(mlir::tensor::ExtractOp op);
  llvm::LogicalResult run(mlir::tensor::InsertOp op);
  llvm::LogicalResult run(mlir::tensor::ExpandShapeOp op);
  llvm::LogicalResult run(mlir::tensor::CollapseShapeOp op);
  llvm::LogicalResult run(mlir::tensor::CastOp op);
  llvm::LogicalResult run(mlir::tensor::ExtractSliceOp op);
  llvm::LogicalResult run(mlir::tensor::InsertSliceOp op);
  llvm::LogicalResult run(mlir::tensor::ConcatOp op);
  llvm::LogicalResult run(mlir::tensor::FromElementsOp op);
  llvm::LogicalResult run(mlir::tensor::SplatOp op);
  llvm::LogicalResult run(mlir::tensor::GenerateOp op);
  llvm::LogicalResult run(mlir::tensor::PadOp op);
  llvm::LogicalResult run(mlir::linalg::LinalgOp op);
  llvm::LogicalResult run(mlir::attn::AttendOp op);
  llvm::LogicalResult run(mlir::attn::AttendGradientOp op);
  llvm::LogicalResult run(mlir::attn::ScatterAddOp op);
  llvm::LogicalResult runElementwise(mlir::Operation &op);

  const Array &arrayOf(mlir::Value value) const { return *values.at(value); }
  int64_t integerOf(mlir::Value value) const { return static_cast<int64_t>(arrayOf(value).values[0]); }
  int64_t integerOf(mlir::OpFoldResult value) const;
  Sizes integersOf(mlir::ValueRange range) const;
  Sizes integersOf(llvm::ArrayRef<mlir::OpFoldResult> range) const;
  /// Gives `result` its value, which must be of the shape that the type says; its op sums `terms` terms itself.
  llvm::LogicalResult define(mlir::OpResult result, Array array, int64_t terms = 0);
  int64_t longestChainInto(mlir::Operation *op) const;
  int64_t termsOfReductionsIn(mlir::Operation *op) const;
  llvm::LogicalResult checkShape(mlir::Operation *op, mlir::Type type, const Array &array, const llvm::Twine &what);
  void copyValues(mlir::ValueRange from, mlir::ValueRange to);

  Environment values;
  /// The name of the element of a list that a model.get or model.set speaks of.
  template <typename Op> llvm::FailureOr<std::string> parameterName(Op op);

  const Parameters &parameters;
  Parameters &updates;
  Fault &fault;
  Rounding rounding;
};

} // namespace attnc::reference
