//===- TurnLists.h - what a value of a loop is in each turn ------------------------------------------------------===//
//
//   %y = scf.for ... { %v = ... }    ->    %y, %vs = scf.for ... iter_args(%list = %empty) {
//                                            %v = ...
//                                            model.with_element %v, %list[%turn] }
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Fuse/SymbolicShapes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace attnc {

/// The type of a list of `count` elements.
mlir::RankedTensorType listOf(mlir::RankedTensorType element, int64_t count);

/// The dynamic sizes of a value, computed at the top of the function.
llvm::SmallVector<mlir::Value> dynamicSizes(mlir::OpBuilder &builder, SymbolicShapes &shapes, mlir::Value value);

/// Replaces `loop`, whose induction variable counts `turns` from 0, by one with a further result for each of `values`,
/// which are computed in it: the list of what the value is in each turn.
mlir::scf::ForOp withListsOfTurns(mlir::scf::ForOp loop, llvm::ArrayRef<mlir::Value> values, int64_t turns);

} // namespace attnc
