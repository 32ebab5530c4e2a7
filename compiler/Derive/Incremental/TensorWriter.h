//===- TensorWriter.h - ops on tensors, and calls written inline --------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/Incremental.h"

namespace attnc {

/// Reassociation of `rank` dimensions with those of a larger tensor, in which `dimension` corresponds to two.
llvm::SmallVector<mlir::ReassociationIndices> groupsWithSplit(int64_t rank, int64_t dimension);

/// Emits ops at `builder`, with the location `at`.
struct TensorWriter {
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = llvm::SmallVector<mlir::Value>;
  mlir::OpBuilder &builder;
  mlir::Location at;

  /// A tensor of these sizes (`index`) with the elements that `body` emits from their indices.
  Value generate(llvm::ArrayRef<Value> sizes, mlir::Type element, llvm::function_ref<Value(ValueRange indices)> body);
  /// A tensor of one integer.
  Value fill(llvm::ArrayRef<Value> sizes, int64_t value) {
    return generate(sizes, builder.getI32Type(), [&](ValueRange) { return i32(value); });
  }
  /// Reduces the inputs over their last dimensions, all but as many as `init` has; `combine` emits the new accumulator
  /// from an element of each input, then the accumulator. An input may lack last dimensions.
  Value reduce(Value init, ValueRange inputs, llvm::function_ref<Value(ValueRange elements)> combine);
  /// Inlines a function on these operands, cast to the types of its arguments; returns its results.
  Values inlineCall(mlir::func::FuncOp function, ValueRange operands);
  Values sizesOf(Value tensor); ///< of all dimensions, `index`

  Value i32(int64_t value) { return mlir::arith::ConstantIntOp::create(builder, at, value, 32); }
  Value constant(int64_t value) { return mlir::arith::ConstantIndexOp::create(builder, at, value); }
  Value toIndex(Value number) { return mlir::arith::IndexCastOp::create(builder, at, builder.getIndexType(), number); }
  Value toI32(Value index) { return mlir::arith::IndexCastOp::create(builder, at, builder.getI32Type(), index); }
  Value plusOne(Value number) { return mlir::arith::AddIOp::create(builder, at, number, i32(1)); }
  Value read(Value tensor, ValueRange indices) { return mlir::tensor::ExtractOp::create(builder, at, tensor, indices); }
  Value compare(mlir::arith::CmpIPredicate predicate, Value a, Value b) {
    return mlir::arith::CmpIOp::create(builder, at, predicate, a, b);
  }
  Value equal(Value a, Value b) { return compare(mlir::arith::CmpIPredicate::eq, a, b); }
  Value choice(Value condition, Value yes, Value no) {
    return mlir::arith::SelectOp::create(builder, at, condition, yes, no);
  }
};

} // namespace attnc
