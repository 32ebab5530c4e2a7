//===- PositionDims.h - the dimensions of positions and rows of tensors -------------------------------------------===//
//
// The dimension of positions of a tensor is the one whose extent is `seq`, a dynamic dimension of the entry point.
//
// The dimension of rows is the one whose extent is `batch`. This is the extent of the dimension before `seq` in the
// first argument that has a dimension of positions after another dimension, if that extent is a dynamic dimension of
// the entry point; otherwise there are no rows. Each row has its own number of positions, so a row of a value may
// depend on that row only.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Derive/Incremental/BodyIndices.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attnc {

/// The dimensions of positions and rows in the tensors of one function.
class PositionDims {
public:
  /// `along` is the name of the dimension of positions; `function` must have it in `model.dimensions`.
  PositionDims(mlir::func::FuncOp function, llvm::StringRef along);

  /// The dimensions of a tensor whose extent is symbol number `symbol` of `shapes`.
  llvm::SmallVector<unsigned> find(mlir::Value tensor, unsigned symbol);
  /// The dimension of positions, or of rows, of `tensor`; null if there is none, or if several dimensions have that
  /// extent.
  std::optional<unsigned> positionDim(mlir::Value tensor) { return onlyDim(tensor, alongSymbol); }
  std::optional<unsigned> rowDim(mlir::Value tensor) { return rowSymbol ? onlyDim(tensor, *rowSymbol) : std::nullopt; }
  bool hasRows() const { return rowSymbol.has_value(); }
  /// The roles of the loops of `op`, by their extents. If several loops have the extent of the positions or of the
  /// rows, a reduction takes precedence. If no loop is the position, the scan around `op` provides the time step.
  IndexRoles roles(mlir::linalg::GenericOp op);
  /// The roles of the outer and key indices of `op`, by their extents; the time step as above.
  IndexRoles roles(mlir::attn::AttendOp op);
  /// True if the size is the number of positions.
  bool isPositionCount(mlir::OpFoldResult size) { return shapes.size(size) == SizeExpr::symbol(alongSymbol); }
  /// True if the loop is a scan (`model.scan`) whose time steps are the positions.
  bool isAlongPositions(mlir::scf::ForOp loop);
  /// The innermost scan along the positions that contains the op; null if there is none.
  mlir::scf::ForOp scanAround(mlir::Operation *op);
  /// True if the scalar is the number of positions, or computed from it, but not read from a tensor at such a
  /// subscript.
  bool countsPositions(mlir::Value scalar);
  /// True if the value is `seq - 1`, or max(seq - 1, 0), the form of the importer, which is not negative for seq = 0.
  bool isLastPosition(mlir::Value subscript);

  SymbolicShapes shapes;
  unsigned alongSymbol = 0;          ///< number of the symbol of `shapes` that is the number of positions
  std::optional<unsigned> rowSymbol; ///< of the number of rows; null without rows
  std::string alongName, rowName;    ///< names of these symbols; `rowName` is empty without rows

private:
  void setTimeStep(IndexRoles &roles, mlir::Operation *op);
  std::optional<unsigned> onlyDim(mlir::Value tensor, unsigned symbol);
};

} // namespace attnc
