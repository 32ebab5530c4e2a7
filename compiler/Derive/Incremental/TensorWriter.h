//===- TensorWriter.h - builder of tensor ops, and inliner of calls -----------------------------------------------===//
//
// Shorthand by which the writers of decoding loops (Decode.h) emit ops.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/Incremental.h"

namespace attnc {

/// The groups of a reshape (tensor.expand_shape or collapse_shape) between a tensor of rank `rank` and one of rank
/// `rank` + 1, in which `dimension` of the smaller tensor corresponds to two dimensions of the larger one.
llvm::SmallVector<mlir::ReassociationIndices> groupsWithSplit(int64_t rank, int64_t dimension);

/// Emits ops at the insertion point of `builder`, with the location `at`. Callbacks emit through the same builder,
/// which is then in the body of the new op.
struct TensorWriter {
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = llvm::SmallVector<mlir::Value>;
  mlir::OpBuilder &builder;
  mlir::Location at;

  /// A tensor of the extents `sizes` (`index`) and the element type `element`; `body` emits an element from its
  /// indices.
  Value generate(llvm::ArrayRef<Value> sizes, mlir::Type element, llvm::function_ref<Value(ValueRange indices)> body);
  /// An i32 tensor of these extents whose elements are all `value`.
  Value fill(llvm::ArrayRef<Value> sizes, int64_t value) {
    return generate(sizes, builder.getI32Type(), [&](ValueRange) { return i32(value); });
  }
  /// Reduces the inputs to a tensor of the type of `init`, the initial accumulators. If `init` has rank r, the first r
  /// dimensions of the inputs stay and the others are reduced. `combine` emits the new accumulator from an element of
  /// each input and, last, the accumulator. The first input has the full rank; another one may have fewer dimensions,
  /// and is then constant along the last ones.
  Value reduce(Value init, ValueRange inputs, llvm::function_ref<Value(ValueRange elements)> combine);
  /// Clones the body of `function`, which has one block, with the operands, cast to the types of its arguments; returns
  /// the values of its results.
  Values inlineCall(mlir::func::FuncOp function, ValueRange operands);
  /// The extents of all dimensions of a tensor, as `index` values.
  Values sizesOf(Value tensor);

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
