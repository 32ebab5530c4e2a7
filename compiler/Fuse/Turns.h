//===- Turns.h - the turns of a loop as places in lists -----------------------------------------------------------===//
//
// A loop over modules or over the steps of a scan counts its turns from 0 by one. The elements that turns read and
// write of lists (model.element, model.with_element) are told apart by the order in which turns take them:
//
//   %t                  up      the turn's own number: element t of n
//   n - 1 - %t          down    from the last to the first
//
// In both orders each turn has an element of its own, and a list of n has one for each.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Fuse/SymbolicShapes.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attnc {

/// On a loop whose turns are segments of a scan (compiler/Derive/SegmentScans.h).
inline constexpr llvm::StringLiteral ofSegmentsAttrName = "attn.of_segments";

enum class TurnOrder { None, Up, Down };

/// Does the loop count from 0 by one?
bool hasPlainTurns(mlir::scf::ForOp loop);

/// The type of a list of `count` elements, which may be dynamic.
mlir::RankedTensorType listOf(mlir::RankedTensorType element, int64_t count);

/// The dynamic sizes of a value, computed at the top of the function.
llvm::SmallVector<mlir::Value> dynamicSizes(mlir::OpBuilder &builder, SymbolicShapes &shapes, mlir::Value value);

/// An empty list with an element of the size of `value` for each turn of the loop. Null where that size is not known
/// in front of the loop.
mlir::Value emptyList(mlir::OpBuilder &builder, SymbolicShapes &shapes, mlir::Value value, mlir::scf::ForOp loop);

/// Replaces the loop by one with a further result for each of `values`, which are computed in it: the list of what the
/// value is in each turn, at its place of `places`, or at the turn's number where there are none.
///
///   %y = scf.for ... { %v = ... }    →    %y, %vs = scf.for ... iter_args(%list = %empty) {
///                                           %v = ...
///                                           model.with_element %v into %list[%turn] }
mlir::scf::ForOp withListsOfTurns(mlir::scf::ForOp loop, llvm::ArrayRef<mlir::Value> values, SymbolicShapes &shapes,
                                  llvm::ArrayRef<mlir::Value> places = {});

/// The order in which turns of the loop take the elements at `place`; none where they may share some.
TurnOrder turnOrder(mlir::Value place, mlir::scf::ForOp loop, SymbolicShapes &shapes);

/// What writes an element of a list that the loop carries as `number` in each turn, each turn another, if nothing else
/// in the loop looks at the list; else null.
mlir::model::WithElementOp listWriter(mlir::scf::ForOp loop, unsigned number, SymbolicShapes &shapes);

/// The element of the turn in that order, where the builder stands in the loop.
mlir::Value placeIn(TurnOrder order, mlir::OpBuilder &builder, mlir::scf::ForOp loop);

} // namespace attnc
