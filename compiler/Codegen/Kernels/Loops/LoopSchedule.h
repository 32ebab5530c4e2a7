//===- LoopSchedule.h - the schedule of a loops kernel ----------------------------------------------------------===//
//
// A loops kernel computes its results at each point of an iteration space: one linalg.generic of any iterators, or ops
// that only move elements (transposes, slices, reshapes, concatenations). Its loops:
//
//   chunk      over the outer loops, flattened, and blocks of the vectorised one
//   outer      parallel loops, flattened
//   vector     one loop in lanes: the one with the most contiguous accesses, by preference the innermost
//   sequential the other reduction loops; sums stay in registers
//
// A vectorised reduction loop is nested inside the sequential ones, and its lanes are combined at the end. Adjacent
// loops that are adjacent in every operand are collapsed first: a pointwise op on four dimensions has one loop.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Nest/KernelSizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// The loops of one linalg.generic by their role.
struct LoopSchedule {
  llvm::SmallVector<SizeExpr> sizes;      ///< of all loops
  llvm::SmallVector<unsigned> outer;      ///< parallel, not vectorised
  llvm::SmallVector<unsigned> sequential; ///< reductions, not vectorised
  std::optional<unsigned> vector;         ///< absent if there is no loop
  bool vectorReduces = false;
  int64_t outerPerChunk = 1;  ///< iterations of the flattened outer loops
  int64_t vectorPerChunk = 0; ///< iterations of the vectorised loop; 0: all in one chunk

  SizeExpr outerSize() const;
  /// Points of the parallel loops that a chunk computes.
  int64_t pointsPerChunk() const;
  /// Chunks along the vectorised loop.
  SizeExpr vectorBlocks() const;
};

/// Chooses the loops for vectors of `lanes` elements. The key `chunk` of the kernel's schedule sets the points of a
/// chunk.
LoopSchedule scheduleLoops(mlir::linalg::GenericOp op, const KernelSizes &sizes, int64_t lanes);

} // namespace attnc
