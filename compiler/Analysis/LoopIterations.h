//===- LoopIterations.h - per-iteration lists of a loop -----------------------------------------------------------===//
//
// A loop over modules or over the time steps of a scan has a canonical induction variable, which counts iterations from
// 0 by one. An iteration reads or writes one element of a per-iteration list (model.element, model.with_element). The
// index of that element determines the order in which iterations traverse the list:
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

/// Marks a loop over the segments of a scan (compiler/Derive/SegmentScans.h).
inline constexpr llvm::StringLiteral segmentLoopAttrName = "attn.segment_loop";
/// On a model.append: the rows are carried values of a scan, which depend on the rows before them in the cache.
inline constexpr llvm::StringLiteral appendsCarriedAttrName = "attn.appends_carried";

enum class IterationOrder { None, Ascending, Descending };

/// True if the loop counts from 0 by one.
bool hasCanonicalInductionVariable(mlir::scf::ForOp loop);

/// The type of a list of `count` elements, which may be dynamic.
mlir::RankedTensorType listType(mlir::RankedTensorType element, int64_t count);

/// The dynamic sizes of a tensor in the order of its dimensions, as `index` values that are computed at the builder's
/// insertion point from the function's arguments. An element is null if these do not determine the size.
llvm::SmallVector<mlir::Value> dynamicSizes(mlir::OpBuilder &builder, SymbolicShapes &shapes, mlir::Value value);

/// Creates an empty list (tensor.empty) at the builder's insertion point, before the loop: one element of the size of
/// `value` for each iteration of the canonical loop. Null if the function's arguments do not determine that size.
mlir::Value emptyList(mlir::OpBuilder &builder, SymbolicShapes &shapes, mlir::Value value, mlir::scf::ForOp loop);

/// Replaces the loop by the returned loop, with a further result for each of `values`, which its body computes: the
/// value's per-iteration list, written at the value's index in `indices`, by default at the induction variable. The
/// function's arguments must determine the sizes of the values (emptyList).
///
///   %y = scf.for ... { %v = ... }    →    %y, %vs = scf.for ... iter_args(%list = %empty) {
///                                           %v = ...
///                                           model.with_element %v into %list[%t] }
mlir::scf::ForOp addIterationLists(mlir::scf::ForOp loop, llvm::ArrayRef<mlir::Value> values, SymbolicShapes &shapes,
                                   llvm::ArrayRef<mlir::Value> indices = {});

/// The order in which iterations access the elements at `index`; None if `index` has neither of the two forms above, or
/// the loop has no canonical induction variable.
IterationOrder iterationOrder(mlir::Value index, mlir::scf::ForOp loop, SymbolicShapes &shapes);

/// Returns the op that writes a distinct element of loop-carried list `number` in each iteration; null if there is no
/// such op, or if the loop's body also uses the list otherwise.
mlir::model::WithElementOp listWriter(mlir::scf::ForOp loop, unsigned number, SymbolicShapes &shapes);

/// The index of an iteration's element in this order, which is not None; the builder inserts in the loop.
mlir::Value elementIndex(IterationOrder order, mlir::OpBuilder &builder, mlir::scf::ForOp loop);

} // namespace attnc
