//===- Regroup.h - loop collapsing by reshapes of dense operands --------------------------------------------------===//
//
// Loops that are adjacent and in the same order in every operand can be collapsed to one loop: [batch, seq, dim]
// becomes [rows, dim]. The reshape of a dense tensor is free. A **group** is a list of loops that are collapsed to one.
// A **grouping** of an operand lists, for each dimension of the reshaped operand, the loops of its group; an empty list
// is a new dimension of size 1.
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

/// Splits `dims`, the loop of each dimension of an operand, into consecutive groups of `groups`. Returns the numbers of
/// these groups in the order of the operand's dimensions; null unless `dims` consists of complete groups, each adjacent
/// and in order. An empty group is not in the result; a caller may insert its number for a dimension of size 1.
std::optional<llvm::SmallVector<unsigned>> splitIntoGroups(llvm::ArrayRef<unsigned> dims, llvm::ArrayRef<Dims> groups);

/// Returns the grouping of an operand with the result `order` of splitIntoGroups.
Grouping groupingOf(llvm::ArrayRef<unsigned> order, llvm::ArrayRef<Dims> groups);

/// Returns the indexing map of the reshaped operand with the result `order` of splitIntoGroups. Group g is loop
/// loopOfGroup[g] of the new op, which has `loops` loops.
mlir::AffineMap groupedMap(llvm::ArrayRef<unsigned> order, llvm::ArrayRef<unsigned> loopOfGroup, unsigned loops,
                           mlir::MLIRContext *context);

/// Reshapes the dense tensor `value` to the grouping by free views. If it creates a dimension, constants or the
/// function's arguments must determine all extents of the result (SymbolicShapes::materialise). The same holds for
/// ungrouped() if it splits a dimension, and always for groupedEmpty().
mlir::Value grouped(mlir::OpBuilder &builder, mlir::Value value, const Grouping &grouping, SymbolicShapes &shapes);
/// The inverse of grouped(): reshapes `value`, which has the shape of the grouping, to the shape of `like`.
mlir::Value ungrouped(mlir::OpBuilder &builder, mlir::Value value, mlir::Value like, const Grouping &grouping,
                      SymbolicShapes &shapes);
/// Creates a tensor.empty with the shape of grouped(value).
mlir::Value groupedEmpty(mlir::OpBuilder &builder, mlir::Value value, const Grouping &grouping, SymbolicShapes &shapes);

/// Returns the patterns that merge adjacent reshapes and remove pairs that cancel.
mlir::FrozenRewritePatternSet reshapePatterns(mlir::MLIRContext *context);

} // namespace attnc
