//===- Regroup.h - loop collapsing by reshapes of dense operands --------------------------------------------------===//
//
// Loops that are adjacent and in the same order in every operand can be collapsed to one: [batch, seq, dim] becomes
// [rows, dim]. The reshape of a dense tensor is free. A **grouping** lists, for each dimension of the reshaped tensor,
// the collapsed loops; an empty list is a new dimension of size 1.
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

/// The `groups` of an operand's loops, in the operand's order, as numbers; null unless each group is complete, adjacent
/// and in order.
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

/// Patterns that merge adjacent reshapes and remove pairs that cancel.
mlir::FrozenRewritePatternSet reshapePatterns(mlir::MLIRContext *context);

} // namespace attnc
