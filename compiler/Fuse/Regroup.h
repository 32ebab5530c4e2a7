//===- Regroup.h - loop collapsing by reshapes of dense operands --------------------------------------------------===//
//
// Adjacent loops in the same order in every operand can be collapsed to one loop: [batch, seq, dim] becomes [rows,
// dim]. The reshape of a dense tensor is free. A **grouping** lists, for each dimension of the reshaped tensor, the
// collapsed loops; an empty list is a new dimension of size 1.
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

/// `groups` are the loops that are collapsed to one, each with the loops in order. Returns the numbers of the groups
/// that `dims`, the loops of an operand's dimensions, form, in the operand's order; null unless each of these groups is
/// complete, adjacent and in order.
std::optional<llvm::SmallVector<unsigned>> splitIntoGroups(llvm::ArrayRef<unsigned> dims, llvm::ArrayRef<Dims> groups);

/// Returns the grouping of an operand that has the groups of `order`, a result of splitIntoGroups.
Grouping groupingOf(llvm::ArrayRef<unsigned> order, llvm::ArrayRef<Dims> groups);

/// Returns the indexing map of an operand that has the groups of `order`, where group g is loop loopOfGroup[g] of
/// `loops` loops.
mlir::AffineMap groupedMap(llvm::ArrayRef<unsigned> order, llvm::ArrayRef<unsigned> loopOfGroup, unsigned loops,
                           mlir::MLIRContext *context);

/// Reshapes `value` to the grouping by free views; ungrouped reshapes such a tensor back to the shape of `like`.
mlir::Value grouped(mlir::OpBuilder &builder, mlir::Value value, const Grouping &grouping, SymbolicShapes &shapes);
mlir::Value ungrouped(mlir::OpBuilder &builder, mlir::Value value, mlir::Value like, const Grouping &grouping,
                      SymbolicShapes &shapes);
/// Creates an empty tensor with the shape of grouped(value).
mlir::Value groupedEmpty(mlir::OpBuilder &builder, mlir::Value value, const Grouping &grouping, SymbolicShapes &shapes);

/// Returns the patterns that merge adjacent reshapes and remove pairs that cancel.
mlir::FrozenRewritePatternSet reshapePatterns(mlir::MLIRContext *context);

} // namespace attnc
