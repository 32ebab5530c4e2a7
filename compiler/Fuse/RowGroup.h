//===- RowGroup.h - fusion group of ops over the same rows --------------------------------------------------------===//
//
// A row group becomes one kernel that computes row by row, such as a softmax or a norm. It grows from a seed, a
// reduction over the last dimension. Its row loops are the other loops of the seed. An op joins if
//
//   - it has a role (RowRole) for the group's number of row loops, and its loops have the group's extents;
//   - it is no map that reads at subscripts from data;
//   - it reads members' results row by row, and members read its results row by row (whyNotRowLocal);
//   - no path leads from the group through other ops or groups back into it, so that the group can be one call;
//   - the rows that members exchange fit in kRowScratch, or have a dynamic length;
//   - no strategy refuses the fusion.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Fuse/Legality.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace attnc {

/// Limit of the scratch for the rows that members exchange, in bytes for each worker: half of an L2 cache.
constexpr int64_t kRowScratch = 512 * 1024;

/// A group and its members. It does not mark the ops; the pass attn-form-rows marks them (Groups.h).
class RowGroup {
public:
  /// Ops of earlier groups by number, each in program order.
  using Groups = llvm::MapVector<int64_t, llvm::SmallVector<mlir::Operation *>>;

  /// A group with the member `seed`. `shapes` and `others`, the earlier groups of the function, must outlive the group.
  RowGroup(mlir::linalg::GenericOp seed, SymbolicShapes &shapes, const Groups &others);

  /// Adds producers and users of members, and ops that read by subscript a tensor that a member reads, until no more of
  /// them can join. Only ops in the same block and without a group are considered.
  void grow();
  /// Returns the reason why `op`, an op of the members' block without a group, cannot join; null if it can.
  std::optional<Reason> whyNot(mlir::linalg::GenericOp op);
  llvm::SmallVector<mlir::linalg::GenericOp> members() const; ///< in program order
  /// True if rows have fewer than 16 elements, a constant. A reduction of such rows alone is vectorised along another
  /// loop.
  bool hasShortRows() const { return length.isConstant() && length.constant() < 16; }
  /// Returns the first member, in program order, of which `result` is an operand; null if there is none, or if members
  /// only read it by subscript.
  mlir::Operation *readerOf(mlir::Value result) const;
  /// Replaces the members, which must be marked (Groups.h), by ops with one row loop, and erases them; the new ops have
  /// the same marks. The group is then empty. Does nothing if there is no second row loop, if an operand has some of
  /// the row loops or has them in another order, if a body uses the index of a row loop, or if a member's result is
  /// read by subscript. Returns the new or unchanged members, in program order.
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
