//===- Interpreter.h - interpreter of one function call -----------------------------------------------------------===//
//
// An Interpreter maps the SSA values of one call to arrays. Its methods are grouped by dialect: Interpreter.cpp has
// functions, control flow, parameters and scalars; TensorOps.cpp tensors and lists; LinalgOps.cpp linalg; AttendOps.cpp
// and AttendGradientOps.cpp attention, its gradient and scatter-add.
//
// Every value is an immutable shared Array; a scalar has rank 0. Each run() method computes the results of its op and
// checks their shapes against the types. An error is recorded in `fault` with its op and ends the call with failure.
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

  llvm::LogicalResult run(mlir::Block &block); ///< runs all ops except the terminator
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
  /// Rounds `array`, checks its shape against the type of `result`, and binds it. `terms` is the number of terms that
  /// the op itself sums.
  llvm::LogicalResult define(mlir::OpResult result, Array array, int64_t terms = 0);
  int64_t longestChainInto(mlir::Operation *op) const;
  int64_t termsOfReductionsIn(mlir::Operation *op) const;
  llvm::LogicalResult checkShape(mlir::Operation *op, mlir::Type type, const Array &array, const llvm::Twine &what);
  void copyValues(mlir::ValueRange from, mlir::ValueRange to);

  Environment values;
  /// The checkpoint name, with list indices, of the parameter that a model.get or model.set accesses.
  template <typename Op> llvm::FailureOr<std::string> parameterName(Op op);

  const Parameters &parameters;
  Parameters &updates;
  Fault &fault;
  Rounding rounding;
};

} // namespace attnc::reference
