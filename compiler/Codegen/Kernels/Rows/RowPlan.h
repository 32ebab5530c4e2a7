//===- RowPlan.h - in how many sweeps a group of row operations runs ------------------------------------------===//
//
// A rows kernel is linalg.generics over the same rows, in three roles: a map computes an element of the row, a
// reduction folds the row, a scalar computes with what reductions gave. Each row is swept over as few times as its
// reductions depend on each other; in LayerNorm:
//
//   sweep 0   sum of x                                      reduction
//             mean                                          scalar
//   sweep 1   sum of (x - mean)^2                           reduction of a map, computed on the way
//             variance, 1 / sqrt(variance + epsilon)        scalars
//   sweep 2   (x - mean) * inverse * gain + bias            map, stored
//
// A map that a later sweep wants again is computed again where that is cheap, and kept where it is not: in the result,
// if it is one, otherwise in a row of scratch. (Softmax keeps its exponentials.) A result in 16 bits keeps nothing for
// later sweeps, which would read a rounded value.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Nest/KernelSizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

enum class RowRole { Scalar, Map, Reduction };

class RowPlan {
public:
  explicit RowPlan(mlir::func::FuncOp kernel);

  /// Whether the kernel is such a group; ask nothing else where it is not.
  const Verdict &verdict() const { return verdict_; }

  unsigned numRowDimensions() const { return rows; }
  unsigned numSweeps() const { return sweeps; }
  llvm::ArrayRef<mlir::linalg::GenericOp> operations() const { return ops; }
  RowRole role(mlir::linalg::GenericOp op) const;
  /// The sweep in which a reduction runs or a map can first be computed; for a scalar, the sweep before which it is
  /// known.
  unsigned sweepOf(mlir::linalg::GenericOp op) const { return sweepNumbers.lookup(op); }

  /// A map that is stored in its sweep: to result `result`, or to a row of scratch where that is absent.
  struct Stored {
    mlir::Value map;
    unsigned sweep;
    std::optional<unsigned> result;
    bool isRounded = false; ///< to 16 bits, so that later sweeps do not read it there
  };
  llvm::ArrayRef<Stored> stored() const { return storedMaps; }
  /// Results of the kernel with one element a row: number and value.
  llvm::ArrayRef<std::pair<unsigned, mlir::Value>> rowResults() const { return scalarResults; }

  /// Whether an argument may be overwritten by a result as the plan runs.
  bool mayRunInPlace(mlir::Value argument, unsigned result) const;

private:
  Verdict classify();
  Verdict classify(mlir::linalg::GenericOp op);
  void number();
  void chooseStored();
  int64_t costOf(mlir::linalg::GenericOp op) const;
  bool isWantedAfter(mlir::Value value, unsigned sweep) const;

  mutable mlir::func::FuncOp kernel; ///< op handles have no const accessors
  unsigned rows = 0, sweeps = 1;
  llvm::SmallVector<mlir::linalg::GenericOp> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> sweepNumbers;
  llvm::SmallVector<Stored> storedMaps;
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> scalarResults;
  Verdict verdict_;
};

} // namespace attnc
