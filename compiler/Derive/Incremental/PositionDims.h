//===- PositionDims.h - dimensions of positions and rows ----------------------------------------------------------===//
//
// Positions are the dimension of length `seq` of a tensor, where `seq` is a dynamic dimension of the entry point.
//
// Rows are the dimension before `seq` in the first argument that has it, if it is named (`batch`). Each row has its own
// length, so a row of a value may depend on that row only.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Derive/Incremental/BodyIndices.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attnc {

class PositionDims {
public:
  PositionDims(mlir::func::FuncOp function, llvm::StringRef along);

  /// The dimensions of a tensor whose length is the symbol with the number `symbol`.
  llvm::SmallVector<unsigned> find(mlir::Value tensor, unsigned symbol);
  /// The dimension of positions, of rows; null if there is none, or if several have that length.
  std::optional<unsigned> positionDim(mlir::Value tensor) { return onlyDim(tensor, alongSymbol); }
  std::optional<unsigned> rowDim(mlir::Value tensor) { return rowSymbol ? onlyDim(tensor, *rowSymbol) : std::nullopt; }
  bool hasRows() const { return rowSymbol.has_value(); }
  IndexRoles roles(mlir::linalg::GenericOp op);
  IndexRoles roles(mlir::attn::AttendOp op);
  /// Whether the loop is a `scan` whose time steps are the positions.
  bool isAlongPositions(mlir::scf::ForOp loop);
  /// The innermost scan along the positions that contains the op; null if there is none.
  mlir::scf::ForOp scanAround(mlir::Operation *op);
  /// Whether the value is the number of positions, or computed from it.
  bool countsPositions(mlir::Value scalar);
  /// Whether the value is `seq - 1`, or the importer's form max(seq - 1, 0), which is an index even without positions.
  bool isLastPosition(mlir::Value subscript);

  SymbolicShapes shapes;
  unsigned alongSymbol = 0;
  std::optional<unsigned> rowSymbol;
  std::string alongName, rowName;

private:
  void setTimeStep(IndexRoles &roles, mlir::Operation *op);
  std::optional<unsigned> onlyDim(mlir::Value tensor, unsigned symbol);
};

} // namespace attnc
