//===- Regroup.h - several loops as one ---------------------------------------------------------------------------===//
//
// Loops that every operand runs through side by side and in order can be one loop: [batch, seq, dim] with dim alone is
// [rows, dim]. Reshaping a dense tensor to that is free. A **grouping** lists, for each dimension of the reshaped
// tensor, the loops it stands for; an empty list is a new dimension of size 1.
//
//   x[b, s, d], grouping {{b, s}, {d}}     collapse_shape [[0, 1], [2]]
//   w[k],       grouping {{}, {k}}         expand_shape   [[0, 1]]         (a vector as a matrix of one row)
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include <optional>

namespace attnc {

using Dims = llvm::SmallVector<unsigned>;
using Grouping = llvm::SmallVector<Dims>;

/// Splits an operand's loops into the `groups` that it has, each whole and in its order; nothing where it mixes them.
/// The result numbers the groups in the operand's order.
std::optional<llvm::SmallVector<unsigned>> splitIntoGroups(llvm::ArrayRef<unsigned> dims, llvm::ArrayRef<Dims> groups);

Grouping groupingOf(llvm::ArrayRef<unsigned> order, llvm::ArrayRef<Dims> groups);

/// The indexing map of an operand that has the groups of `order`, where group g is loop loopOfGroup[g].
mlir::AffineMap groupedMap(llvm::ArrayRef<unsigned> order, llvm::ArrayRef<unsigned> loopOfGroup, unsigned loops,
                           mlir::MLIRContext *context);

/// `value` reshaped to the grouping, and back to the shape of `like`.
mlir::Value grouped(mlir::OpBuilder &builder, mlir::Value value, const Grouping &grouping, SymbolicShapes &shapes);
mlir::Value ungrouped(mlir::OpBuilder &builder, mlir::Value value, mlir::Value like, const Grouping &grouping,
                      SymbolicShapes &shapes);
/// An empty tensor of the shape that `value` has when it is grouped.
mlir::Value groupedEmpty(mlir::OpBuilder &builder, mlir::Value value, const Grouping &grouping, SymbolicShapes &shapes);

/// What joins the reshapes that regrouping leaves side by side, and drops those that undo each other.
mlir::FrozenRewritePatternSet reshapePatterns(mlir::MLIRContext *context);

} // namespace attnc
