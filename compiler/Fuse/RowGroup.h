//===- RowGroup.h - fusion group of ops over the same rows --------------------------------------------------------===//
//
// A group grows from a reduction over the last dimension. An op joins if
//
//   - it has a role (RowRole) for the group's number of row loops, and its loops have the group's sizes;
//   - it reads the same rows of members' results, and members read the same rows of its results;
//   - no path leads from the group through other ops or groups back into it, so that the group can be one call;
//   - the rows that members exchange fit in kRowScratch.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Fuse/Legality.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace attnc {

/// Limit of the scratch for rows between ops, in bytes for each worker: half of an L2 cache.
constexpr int64_t kRowScratch = 512 * 1024;

class RowGroup {
public:
  /// Ops of earlier groups by number, each in program order.
  using Groups = llvm::MapVector<int64_t, llvm::SmallVector<mlir::Operation *>>;

  /// `seed` is the reduction. `shapes` and `others` must outlive the group.
  RowGroup(mlir::linalg::GenericOp seed, SymbolicShapes &shapes, const Groups &others);

  /// Adds producers and users of members that can join and have no group, until there are none.
  void grow();
  /// Returns the reason why `op` cannot join; null if it can.
  std::optional<Reason> whyNot(mlir::linalg::GenericOp op);
  llvm::SmallVector<mlir::linalg::GenericOp> members() const; ///< in program order
  /// True if rows fill less than half of a vector. A reduction of such rows alone is vectorised along another loop.
  bool hasShortRows() const { return length.isConstant() && length.constant() < 16; }
  /// Returns the first member that reads `result`, or null.
  mlir::Operation *readerOf(mlir::Value result) const;
  /// Collapses the row loops to one if every operand permits it, and erases the replaced members, which must be marked
  /// (Groups.h). Returns the members, in program order. The group is then empty.
  llvm::SmallVector<mlir::Operation *> collapseRows();

private:
  bool hasSameRows(mlir::linalg::GenericOp op);
  bool canCollapse(mlir::linalg::GenericOp op, llvm::ArrayRef<llvm::SmallVector<unsigned>> groups) const;
  bool staysOneStep(mlir::linalg::GenericOp op) const;
  /// Returns the last op of the block that can be on a path from the group with `op` back into it.
  mlir::Operation *endOfWays(mlir::Operation *op) const;
  /// Returns the ops that become one call with `op`: its group, or `op` alone.
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
