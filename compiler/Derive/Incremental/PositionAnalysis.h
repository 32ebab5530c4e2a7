//===- PositionAnalysis.h - what each value needs of the positions along a dimension ------------------------------===//
//
// The proof that a function can be computed position by position. Along one dynamic dimension of an entry point, `seq`
// say, each tensor is one of
//
//   nothing      no dimension of it is as long as `seq`, and no element depends on the positions: prefix-independent
//   positions    one dimension is as long as `seq`, and position i needs positions 0 .. i of what it is computed from
//   end          it has no such dimension, and needs what the last position gives
//
// Rules, an op each: how the position i of its result reads its operands.
//
//   linalg.generic     the loop as long as `seq` is the position; where a reduction is as long, mixing. Operands read
//                      by its index: pointwise.
//   tensor.extract at
//                      the position less a constant, or at 0: window, causal. A reduction over it: mixing
//   attn.attend        the outer index as long as `seq` is the position i, a key index as long is j: pointwise at i;
//                      at j causal where the mask keeps j <= i alone, window(w) where also i - j <= w; else mixing
//   slices             0 .. seq of something without positions: pointwise. The last position alone: end
//   reshapes           pointwise where the dimension of the positions stays one of its own; else mixing
//   concatenation      pointwise along other dimensions; along the positions: mixing
//   transposes, fills  pointwise
//   scf.for            the least fixpoint over what it carries
//
// Rows are the dimension in front of `seq` in the first argument that has it, where it is a named one (`batch`): each
// has a length of its own, so what stands at one row of a value may only need that row.
//
// A value that is read at other positions than its own, is kept from call to call: `caches()`.
//
// What refutes the proof is an error at its place in the model.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "compiler/Derive/Incremental/Reach.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace attnc {

struct PositionFact {
  enum class Along { Nothing, Positions, End };
  Along along = Along::Nothing;
  /// What position i of the value needs of the positions of the arguments; of `End`, what the last one needs.
  Reach reach = Reach::nothing();
  /// Of `Nothing`: it depends on arguments, and not on parameters and constants alone.
  bool fromArguments = false;
  /// It depends on the row, through its length, but has no dimension of rows.
  bool perRow = false;

  bool isGiven() const { return along == Along::Nothing && fromArguments; }
  PositionFact join(const PositionFact &other) const;
  bool operator==(const PositionFact &other) const = default;
};

/// The indices of an op that are positions and rows, as numbers of its loops (an attend's: of its outer indices).
struct IndexRoles {
  std::optional<unsigned> position, row;
  std::optional<unsigned> key; ///< of an attend: the key index that is a position
};

/// How one body names its indices.
class BodyIndices {
public:
  BodyIndices(mlir::Operation *owner, IndexRoles roles) : owner(owner), roles(roles) {}
  bool isPosition(mlir::Value value) const { return isLoop(value, roles.position); }
  bool isRow(mlir::Value value) const { return isLoop(value, roles.row); }
  bool isKey(mlir::Value value) const;
  /// Of `position * i + key * j + constant`; nothing where the value is no such sum.
  struct Linear {
    int64_t position = 0, key = 0, constant = 0;
  };
  std::optional<Linear> read(mlir::Value value) const;
  /// The value through casts between index and i32.
  static mlir::Value stripCasts(mlir::Value value);

  mlir::Operation *owner;
  IndexRoles roles;

private:
  bool isLoop(mlir::Value value, std::optional<unsigned> loop) const;
};

class PositionAnalysis {
public:
  PositionAnalysis(mlir::func::FuncOp function, llvm::StringRef along);
  /// Fails with an error where a position needs others than those before it.
  mlir::LogicalResult run();

  PositionFact fact(mlir::Value value) const { return facts.lookup(value); }
  std::optional<unsigned> positionDim(mlir::Value tensor) { return onlyDim(tensor, alongSymbol); }
  std::optional<unsigned> rowDim(mlir::Value tensor);
  bool hasRows() const { return rowSymbol.has_value(); }
  IndexRoles roles(mlir::linalg::GenericOp op);
  IndexRoles roles(mlir::attn::AttendOp op);

  /// Values that are read at earlier positions, and how far back.
  const llvm::MapVector<mlir::Value, Reach> &caches() const { return cached; }
  /// Does this read a cache, at a position counted from the first one of all?
  bool readsCache(mlir::tensor::ExtractOp extract) const { return cacheReads.contains(extract); }
  /// Is the position given as one of the chunk?
  bool readsOwnPosition(mlir::tensor::ExtractOp extract) const { return ownReads.contains(extract); }

  mlir::func::FuncOp function;
  SymbolicShapes shapes;
  unsigned alongSymbol = 0;
  std::optional<unsigned> rowSymbol;
  std::string alongName, rowName;

private:
  mlir::LogicalResult analyse(mlir::Block &block);
  mlir::LogicalResult analyse(mlir::Operation &op);
  // PositionsOfBodies.cpp
  mlir::LogicalResult rule(mlir::linalg::GenericOp op);
  mlir::LogicalResult rule(mlir::attn::AttendOp op);
  mlir::LogicalResult readBody(const BodyIndices &indices, Reach atKey, PositionFact &fact);
  mlir::LogicalResult readExtract(mlir::tensor::ExtractOp extract, const BodyIndices &indices, Reach atKey,
                                  PositionFact &fact);
  std::optional<Reach> reachOf(mlir::Value subscript, const BodyIndices &indices, Reach atKey);
  mlir::LogicalResult checkRow(mlir::tensor::ExtractOp extract, const BodyIndices &indices);
  bool isLastPosition(mlir::Value subscript);
  bool countsPositions(mlir::Value scalar);
  // PositionsOfViews.cpp
  mlir::LogicalResult rule(mlir::linalg::FillOp op);
  mlir::LogicalResult rule(mlir::tensor::ExpandShapeOp op);
  mlir::LogicalResult rule(mlir::tensor::CollapseShapeOp op);
  mlir::LogicalResult ruleOfReshape(mlir::Operation *op, mlir::Value wide,
                                    llvm::ArrayRef<mlir::ReassociationIndices> groups);
  mlir::LogicalResult rule(mlir::tensor::ExtractSliceOp op);
  mlir::LogicalResult rule(mlir::tensor::ConcatOp op);
  mlir::LogicalResult ruleOfLoop(mlir::scf::ForOp op);

  llvm::SmallVector<unsigned> dims(mlir::Value tensor, unsigned symbol);
  std::optional<unsigned> onlyDim(mlir::Value tensor, unsigned symbol);
  mlir::LogicalResult checkDims(mlir::Operation *op, mlir::Value tensor);
  void give(mlir::Value value, PositionFact fact);
  /// An error at `op` that begins with what goes wrong.
  mlir::LogicalResult mixes(mlir::Operation *op, const llvm::Twine &why);
  void cache(mlir::Value value, Reach reach);

  llvm::DenseMap<mlir::Value, PositionFact> facts;
  llvm::MapVector<mlir::Value, Reach> cached;
  llvm::DenseSet<mlir::Operation *> cacheReads, ownReads;
  bool changed = false; ///< something was cached whose readers must be looked at again
};

/// What the mask of an attend says of a key j and a position i, where it keeps the pair: j - i <= ahead, i - j <=
/// behind.
struct MaskBounds {
  std::optional<int64_t> ahead, behind;
};
MaskBounds maskBounds(mlir::attn::AttendOp op, const BodyIndices &indices);

} // namespace attnc
