//===- PositionAnalysis.h - data-flow analysis of dependences between positions -----------------------------------===//
//
// The analysis proves that a function can be computed position by position (Incremental.h). Positions are the indices
// along one dynamic dimension of the function, such as `seq`. With respect to them, each tensor is one of
//
//   nothing      no dimension of length `seq`, and no dependence on positions
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
//                      i; at j causal if the mask implies j <= i, window(w) if also i - j <= w; else mixing. Mixing
//                      are also the results `key_sums` over positions and `top` in a window
//   slices             0 .. seq of a value without positions: pointwise. The last position alone: end
//   reshapes           pointwise if the dimension of positions stays separate; else mixing
//   concatenation      pointwise along other dimensions; along positions: mixing
//   transposes, fills  pointwise
//   scf.for            least fixpoint over the carried values
//   scan along `seq`   carried values: time step, causal. Other values of a time step that depend on arguments: time
//                      step. The stacked results: positions. The last carried values: end
//   model.element      at the time step: pointwise
//
// Pointwise, window, causal and mixing are elements of the lattice of Reach.h. Mixing is an error at the op's source
// location, because a position would depend on later positions. A value that is read at other positions than the
// current one has to be cached between calls (`caches()`), and so have the carried values of a scan along `seq`
// (`carried()`).
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
  /// The positions of the arguments on which position i of the value depends; for `End`, i is the last position.
  Reach reach = Reach::nothing();
  /// For `Nothing`: true if the value depends on arguments, rather than on parameters and constants alone.
  bool fromArguments = false;
  /// True if the value depends on the row, because rows have different lengths, but has no dimension of rows.
  bool perRow = false;

  /// True if next_begin computes the value, in advance of all positions.
  bool isGiven() const { return along == Along::Nothing && fromArguments; }
  /// The least upper bound in the lattice.
  PositionFact join(const PositionFact &other) const;
  bool operator==(const PositionFact &other) const = default;
};

/// The analysis of one function. The queries are valid after run() has succeeded, while the function is unchanged.
class PositionAnalysis {
public:
  /// `along` is the name of the dimension of positions in `model.dimensions`.
  PositionAnalysis(mlir::func::FuncOp function, llvm::StringRef along) : function(function), dims(function, along) {}
  /// Fails with an error at the op by which a position depends, or may depend, on later ones, on the number of
  /// positions, or on other rows; also at an op whose effect is unknown, and at a tensor with several dimensions of
  /// positions or with another size that depends on their number, such as 2*seq.
  mlir::LogicalResult run();

  /// The fact of a tensor of the function; the bottom of the lattice for other values.
  PositionFact fact(mlir::Value value) const { return facts.lookup(value); }

  /// The values that are read at earlier positions, each with the reach of these reads.
  const llvm::MapVector<mlir::Value, Reach> &caches() const { return cached; }
  /// The results of scans along the positions that are carried from time step to time step.
  llvm::ArrayRef<mlir::OpResult> carried() const { return carriedResults.getArrayRef(); }
  /// True if the op reads a cached value at an earlier position. In next and next_prefill it reads the cache, by the
  /// position in the text.
  bool readsCache(mlir::tensor::ExtractOp extract) const { return cacheReads.contains(extract); }
  /// True if the op reads a value at the current position or at the last one. In next and next_prefill it reads the
  /// value of the call, by the position within the call.
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
