//===- LoopIterations.h - per-iteration lists of a loop -----------------------------------------------------------===//
//
// A per-iteration list is a tensor whose leading dimension is the iterations of a loop. Each iteration reads or writes
// one element of the list, a slice along that dimension (model.element, model.with_element). The loops are those over
// modules and over the time steps of a scan. Their induction variable %t is canonical: it counts the n iterations from
// 0 by one. The index of the element determines the order in which the iterations traverse the list:
//
//   %t                  ascending      iteration t accesses element t of n
//   n - 1 - %t          descending     from the last element to the first
//
// In both orders, iterations access distinct elements, and together all elements of a list of n.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attnc {

/// Unit attribute of a loop over the segments of a scan (compiler/Derive/SegmentScans.h).
inline constexpr llvm::StringLiteral segmentLoopAttrName = "attn.segment_loop";
/// Unit attribute of a model.append: the appended rows are carried values of a scan, each computed from the row before
/// it in the cache. Rounding errors therefore accumulate along the cache, and `narrow` stores it in f32.
inline constexpr llvm::StringLiteral appendsCarriedAttrName = "attn.appends_carried";

enum class IterationOrder { None, Ascending, Descending };

/// True if the loop's lower bound is the constant 0 and its step the constant 1.
bool hasCanonicalInductionVariable(mlir::scf::ForOp loop);

/// The type of a list of `count` elements: `element` with a new leading dimension. `count` may be kDynamic.
mlir::RankedTensorType listType(mlir::RankedTensorType element, int64_t count);

/// The extents of the dynamic dimensions of the tensor `value`, in the order of the dimensions, as `index` values that
/// are computed at the builder's insertion point from the function's arguments. An element of the result is null if the
/// arguments do not determine that extent.
llvm::SmallVector<mlir::Value> dynamicSizes(mlir::OpBuilder &builder, SymbolicShapes &shapes, mlir::Value value);

/// Creates an uninitialised list (tensor.empty) at the builder's insertion point, which must be before the loop. The
/// list has one element of the shape of the tensor `value` for each iteration of the loop. The loop must have a
/// canonical induction variable. Null if the function's arguments do not determine the shape.
mlir::Value emptyList(mlir::OpBuilder &builder, SymbolicShapes &shapes, mlir::Value value, mlir::scf::ForOp loop);

/// Makes the per-iteration lists of `values`, tensors that the body of `loop` computes, results of the loop. The
/// returned loop replaces and erases `loop`; its results are those of `loop`, then one list for each value. Iteration t
/// writes values[i] at indices[i], an `index` of the body; without `indices`, at the induction variable. The function's
/// arguments must determine the shapes of the values (emptyList).
///
///   %y = scf.for ... { %v = ... }    →    %y, %vs = scf.for ... iter_args(%list = %empty) {
///                                           %v = ...
///                                           model.with_element %v into %list[%t] }
mlir::scf::ForOp addIterationLists(mlir::scf::ForOp loop, llvm::ArrayRef<mlir::Value> values, SymbolicShapes &shapes,
                                   llvm::ArrayRef<mlir::Value> indices = {});

/// The order in which iterations access a list at `index`, a value of the loop's body. Each n - 1 - i reverses the
/// order of i. None if `index` is neither %t nor such a difference, or if the loop has no canonical induction variable.
IterationOrder iterationOrder(mlir::Value index, mlir::scf::ForOp loop, SymbolicShapes &shapes);

/// Returns the op that writes one element of loop-carried value `number` in each iteration and whose result the loop
/// yields. Null if there is none, if its index has order None, or if the body uses the carried value or the op's result
/// in another op as well.
mlir::model::WithElementOp listWriter(mlir::scf::ForOp loop, unsigned number, SymbolicShapes &shapes);

/// The index of the current iteration's element in `order`, which must not be None. Emits the arithmetic of Descending
/// at the builder's insertion point, which must be in the loop's body.
mlir::Value elementIndex(IterationOrder order, mlir::OpBuilder &builder, mlir::scf::ForOp loop);

} // namespace attnc
