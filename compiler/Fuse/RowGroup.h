//===- RowGroup.h - ops that run over the same rows ---------------------------------------------------------------===//
//
// Grows from a reduction over the last dimension. An op joins when
//
//   - it has a role (RowPart) for the group's number of row loops, and its loops have the group's sizes;
//   - what it takes from members, and what they take from it, is of the same row;
//   - no path leads from the group through other ops, or groups, back into it (the group must be one step of the
//     program);
//   - the rows that then lie between members fit kRowScratch.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Fuse/Legality.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace attnc {

/// Bytes of rows between ops that a worker may hold: half of a level-two cache.
constexpr int64_t kRowScratch = 512 * 1024;

class RowGroup {
public:
  /// Ops of groups formed before, by number, each in order.
  using Groups = llvm::MapVector<int64_t, llvm::SmallVector<mlir::Operation *>>;

  RowGroup(mlir::linalg::GenericOp seed, SymbolicShapes &shapes, const Groups &others);

  void grow();
  /// Why `op` cannot join, or nothing.
  std::optional<Reason> whyNot(mlir::linalg::GenericOp op);
  llvm::SmallVector<mlir::linalg::GenericOp> members() const;
  /// Rows that leave most lanes of a vector empty. On its own, a reduction of such rows has its lanes along another
  /// loop.
  bool hasShortRows() const { return length.isConstant() && length.constant() < 16; }
  /// The first member that reads `result`, or null.
  mlir::Operation *readerOf(mlir::Value result) const;
  /// Makes one loop of the row loops, where every operand allows that, and erases the members it replaces. Answers the
  /// members from then on.
  llvm::SmallVector<mlir::Operation *> collapseRows();

private:
  bool hasSameRows(mlir::linalg::GenericOp op);
  bool canCollapse(mlir::linalg::GenericOp op, llvm::ArrayRef<llvm::SmallVector<unsigned>> groups) const;
  bool staysOneStep(mlir::linalg::GenericOp op) const;
  /// The last op of the block that can lie on a way from the group with `op` back into it.
  mlir::Operation *endOfWays(mlir::Operation *op) const;
  /// The ops that become one step of the program together with `op`: those of its group, if it has one already.
  llvm::SmallVector<mlir::Operation *> stepOf(mlir::Operation *op) const;
  int64_t scratchWith(mlir::linalg::GenericOp op);

  SymbolicShapes &shapes;
  llvm::SetVector<mlir::Operation *> ops;
  const Groups &others;
  unsigned rows;
  std::vector<SizeExpr> rowExtents;
  SizeExpr length;
};

} // namespace attnc
