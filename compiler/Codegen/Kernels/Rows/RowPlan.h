//===- RowPlan.h - the sweeps of a rows kernel --------------------------------------------------------------------===//
//
// A rows kernel consists of linalg.generics over the same rows: they have the same leading loops, the row dimensions,
// and at most one more loop over the last dimension. An op has one of three roles. A map computes each element of a
// row, a reduction folds a row to one number, and a scalar computes one number for each row from results of reductions.
//
// A sweep is one pass over a row. The plan assigns each op to a sweep. Their number is the length of the longest chain
// of dependent reductions, and one more if a map reads the last of these; at least one. In LayerNorm:
//
//   sweep 0   sum of x                                      reduction
//             mean                                          scalar
//   sweep 1   sum of (x - mean)^2                           reduction of a map, computed on the way
//             variance, 1 / sqrt(variance + epsilon)        scalars
//   sweep 2   (x - mean) * inverse * gain + bias            map, stored
//
// A map that is a result of the kernel is stored, and later sweeps read it there; if it is stored in 16 bits, they do
// not, because it is rounded. Any other map that a later sweep reads, and a rounded one, is recomputed if it takes few
// instructions, otherwise its sweep stores it in a row of scratch. (Softmax stores its exponentials.) The emitters of
// CPU/Rows and GPU/Rows follow the plan, but a device has no rows of scratch and recomputes these maps, too.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/OpClassification.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Nest/KernelSizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// The plan of one kernel, which must not change while the plan is in use.
class RowPlan {
public:
  explicit RowPlan(mlir::func::FuncOp kernel);

  /// Yes if the kernel has this structure and its formulas can be evaluated; otherwise the reason, and no other member
  /// may be used.
  const Verdict &verdict() const { return verdict_; }

  unsigned numRowDimensions() const { return rows; } ///< number of leading loops that index the rows
  unsigned numSweeps() const { return sweeps; }
  llvm::ArrayRef<mlir::linalg::GenericOp> operations() const { return ops; } ///< all ops, in program order
  RowRole role(mlir::linalg::GenericOp op) const;
  /// The number of a sweep, from 0: for a reduction, the sweep that computes it; for a map, the first sweep that can
  /// compute it; for a scalar, the first sweep that can use it, or numSweeps() if it is known after the last one only.
  unsigned sweepOf(mlir::linalg::GenericOp op) const { return sweepNumbers.lookup(op); }

  /// A map that its sweep stores.
  struct Stored {
    mlir::Value map; ///< the result of the map
    unsigned sweep;
    std::optional<unsigned> result; ///< the number of the kernel's result that stores it; null: a row of scratch
    bool isRounded = false;         ///< the result is stored in 16 bits, so later sweeps do not read it
  };
  llvm::ArrayRef<Stored> stored() const { return storedMaps; }
  /// The results of the kernel with one element for each row: the number of the result, and its value.
  llvm::ArrayRef<std::pair<unsigned, mlir::Value>> rowResults() const { return scalarResults; }

  /// Whether result number `result` may have the same buffer as `argument` (an argument, or its widened value): the
  /// result is a map of the type of `argument`, and it is proved that no sweep reads an element of the argument after
  /// the result has overwritten it. The caller must compare the stored types.
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
