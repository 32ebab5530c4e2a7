//===- PositionAnalysis.h - data-flow analysis of dependences between positions -----------------------------------===//
//
// Proves that a function can be computed position by position. Along one dynamic dimension of an entry point, such as
// `seq`, each tensor is one of
//
//   nothing      no dimension of length `seq`, and no dependence on positions: prefix-independent
//   positions    one dimension of length `seq`, and position i depends on positions 0 .. i of its operands
//   time step    no such dimension; in a `scan` along `seq`, belongs to the position that the time step computes
//   end          no such dimension, and depends on the last position
//
// Transfer functions: how position i of an op's result depends on its operands.
//
//   linalg.generic     the loop of length `seq` is the position; a reduction of that length: mixing. Operands read
//                      by the loop's index: pointwise
//   tensor.extract     at the position minus a constant: window. At position 0: causal. At the last one, in an op
//                      without positions: end. Else mixing
//   attn.attend        the outer index of length `seq` is the position i, a key index of that length is j: pointwise at
//                      i; at j causal if the mask implies j <= i, window(w) if also i - j <= w; else mixing
//   slices             0 .. seq of a value without positions: pointwise. The last position alone: end
//   reshapes           pointwise if the dimension of positions stays separate; else mixing
//   concatenation      pointwise along other dimensions; along positions: mixing
//   transposes, fills  pointwise
//   scf.for            least fixpoint over the carried values
//   scan along `seq`   carried values and all values of a time step that depend on arguments: time step, causal. The
//                      stacked results: positions. The last carried values: end
//   model.element      at the time step: pointwise
//
// A value that is read at other positions than the current one is cached between calls: `caches()`. So are the carried
// values of a scan along `seq`: `carried()`.
//
// A dependence on later positions is an error at its source location.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/PositionDims.h"
#include "compiler/Derive/Incremental/Reach.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace attnc {

/// The element of the lattice for one value.
struct PositionFact {
  enum class Along { Nothing, Positions, TimeStep, End };
  Along along = Along::Nothing;
  /// Positions of the arguments on which position i of the value depends; for `End`, on which the last position
  /// depends.
  Reach reach = Reach::nothing();
  /// For `Nothing`: whether it depends on arguments, rather than on parameters and constants alone.
  bool fromArguments = false;
  /// Depends on the row, through its length, but has no dimension of rows.
  bool perRow = false;

  /// Whether next_begin computes the value.
  bool isGiven() const { return along == Along::Nothing && fromArguments; }
  PositionFact join(const PositionFact &other) const;
  bool operator==(const PositionFact &other) const = default;
};

class PositionAnalysis {
public:
  PositionAnalysis(mlir::func::FuncOp function, llvm::StringRef along) : function(function), dims(function, along) {}
  /// Fails with an error if a position depends on later ones.
  mlir::LogicalResult run();

  PositionFact fact(mlir::Value value) const { return facts.lookup(value); }

  /// Values that are read at earlier positions, and their reach.
  const llvm::MapVector<mlir::Value, Reach> &caches() const { return cached; }
  /// The results of scans along the positions that are carried from time step to time step.
  llvm::ArrayRef<mlir::OpResult> carried() const { return carriedResults.getArrayRef(); }
  /// Whether the op reads a cache, at a position counted from the first one of all.
  bool readsCache(mlir::tensor::ExtractOp extract) const { return cacheReads.contains(extract); }
  /// Whether the op reads a value of the call, not a cache: at the current position, counted from the call's first one,
  /// or at the last position.
  bool readsOwnPosition(mlir::tensor::ExtractOp extract) const { return ownReads.contains(extract); }

  mlir::func::FuncOp function;
  PositionDims dims;

private:
  mlir::LogicalResult analyse(mlir::Block &block);
  mlir::LogicalResult analyse(mlir::Operation &op);
  mlir::LogicalResult applyRule(mlir::Operation &op);
  // PositionsOfBodies.cpp
  mlir::LogicalResult rule(mlir::linalg::GenericOp op);
  mlir::LogicalResult rule(mlir::attn::AttendOp op);
  mlir::LogicalResult readBody(const BodyIndices &indices, Reach atKey, PositionFact &fact);
  mlir::LogicalResult readExtract(mlir::tensor::ExtractOp extract, const BodyIndices &indices, Reach atKey,
                                  PositionFact &fact);
  mlir::LogicalResult readTimeStep(mlir::Operation *op, PositionFact source, const BodyIndices &indices,
                                   PositionFact &fact);
  mlir::LogicalResult checkRow(mlir::tensor::ExtractOp extract, const BodyIndices &indices);
  // PositionsOfViews.cpp
  mlir::LogicalResult rule(mlir::linalg::FillOp op);
  mlir::LogicalResult reshapeRule(mlir::Operation *op, mlir::Value wide,
                                  llvm::ArrayRef<mlir::ReassociationIndices> groups);
  mlir::LogicalResult rule(mlir::tensor::ExtractSliceOp op);
  mlir::LogicalResult rule(mlir::tensor::ConcatOp op);
  mlir::LogicalResult loopRule(mlir::scf::ForOp op);
  // PositionsOfScans.cpp
  mlir::LogicalResult scanRule(mlir::scf::ForOp scan);
  mlir::LogicalResult checkCarried(mlir::scf::ForOp scan, unsigned number);
  std::string rowsOfList() const;
  mlir::LogicalResult rule(mlir::model::ElementOp op);
  mlir::LogicalResult rule(mlir::model::WithElementOp op);

  /// Whether a number depends on the time step of a scan along the positions around `op`.
  bool dependsOnTimeStep(mlir::Operation *op, mlir::Value number);
  mlir::LogicalResult checkDims(mlir::Operation *op, mlir::Value tensor);
  mlir::LogicalResult checkEnd(mlir::Operation *op, mlir::Value value);
  mlir::LogicalResult checkRows(mlir::Operation *op, mlir::Value value);
  void setFact(mlir::Value value, PositionFact fact);
  /// Error at `op` with the given cause first.
  mlir::LogicalResult mixes(mlir::Operation *op, const llvm::Twine &why);
  void cache(mlir::Value value, Reach reach);

  llvm::DenseMap<mlir::Value, PositionFact> facts;
  llvm::MapVector<mlir::Value, Reach> cached;
  llvm::SetVector<mlir::OpResult> carriedResults;
  llvm::DenseSet<mlir::Operation *> cacheReads, ownReads;
  bool changed = false; ///< a value became cached, so its readers must be analysed again
};

} // namespace attnc
