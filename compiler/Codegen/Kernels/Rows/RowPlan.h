//===- RowPlan.h - the sweeps of a rows kernel ------------------------------------------------------------------===//
//
// A rows kernel is linalg.generics over the same rows, in three roles: a map computes an element of the row, a
// reduction folds the row, a scalar computes with results of reductions. The number of sweeps over each row is the
// length of the longest chain of dependent reductions, and one more for maps of its last result; in LayerNorm:
//
//   sweep 0   sum of x                                      reduction
//             mean                                          scalar
//   sweep 1   sum of (x - mean)^2                           reduction of a map, computed on the way
//             variance, 1 / sqrt(variance + epsilon)        scalars
//   sweep 2   (x - mean) * inverse * gain + bias            map, stored
//
// A map that a later sweep reads is recomputed if that is cheap, otherwise stored: in the result, if it is one, or in a
// row of scratch. (Softmax stores its exponentials.) Later sweeps do not read a result in 16 bits, which is rounded.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/OpClassification.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Nest/KernelSizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// The plan of one kernel.
class RowPlan {
public:
  explicit RowPlan(mlir::func::FuncOp kernel);

  /// Whether the kernel has this structure. If not, no other member may be used.
  const Verdict &verdict() const { return verdict_; }

  unsigned numRowDimensions() const { return rows; }
  unsigned numSweeps() const { return sweeps; }
  llvm::ArrayRef<mlir::linalg::GenericOp> operations() const { return ops; } ///< in program order
  RowRole role(mlir::linalg::GenericOp op) const;
  /// The sweep of a reduction, the first one that can compute a map, or the first one that can use a scalar.
  unsigned sweepOf(mlir::linalg::GenericOp op) const { return sweepNumbers.lookup(op); }

  /// A map that is stored in its sweep: to result `result`, or to a row of scratch if that is absent.
  struct Stored {
    mlir::Value map;
    unsigned sweep;
    std::optional<unsigned> result;
    bool isRounded = false; ///< to 16 bits, so that later sweeps do not read it there
  };
  llvm::ArrayRef<Stored> stored() const { return storedMaps; }
  /// Results of the kernel with one element a row: number and value.
  llvm::ArrayRef<std::pair<unsigned, mlir::Value>> rowResults() const { return scalarResults; }

  /// Whether a result may overwrite an argument.
  bool mayRunInPlace(mlir::Value argument, unsigned result) const;

private:
  Verdict classify();
  Verdict classify(mlir::linalg::GenericOp op);
  void number();
  void chooseStored();
  int64_t costOf(mlir::linalg::GenericOp op) const;
  bool isReadAfter(mlir::Value value, unsigned sweep) const;

  mutable mlir::func::FuncOp kernel; ///< op handles have no const accessors
  unsigned rows = 0, sweeps = 1;
  llvm::SmallVector<mlir::linalg::GenericOp> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> sweepNumbers;
  llvm::SmallVector<Stored> storedMaps;
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> scalarResults;
  Verdict verdict_;
};

} // namespace attnc
