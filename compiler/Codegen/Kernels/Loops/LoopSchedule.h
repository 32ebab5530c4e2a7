//===- LoopSchedule.h - the schedule of a loops kernel ------------------------------------------------------------===//
//
// The schedule of one linalg.generic gives each of its loops a role:
//
//   outer       the parallel loops that are not vectorised, flattened to one loop
//   vector      one loop, whose points are in lanes: the one whose accesses cost least, of equal ones the innermost.
//               Contiguous accesses cost least, and loops shorter than a vector, and reductions, cost more. A reduction
//               loop only if each result is a fold by one combiner
//   sequential  the reduction loops that are not vectorised; sums stay in registers
//
// A chunk has consecutive iterations of the flattened outer loop and, if the vectorised loop is parallel, a block of
// its points. A vectorised reduction loop is nested inside the sequential ones, and its lanes are combined at the end.
// The emitters of loops kernels collapse adjacent loops before (Computation.h), so a pointwise op on four dimensions
// has one loop.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Nest/KernelSizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// The size of a loop, or an assumed size if it is dynamic.
int64_t assumedSize(const SizeExpr &size);

/// The loops of one linalg.generic by their role.
struct LoopSchedule {
  llvm::SmallVector<SizeExpr> sizes;      ///< size of each loop of the op
  llvm::SmallVector<unsigned> outer;      ///< numbers of the outer loops, outermost first
  llvm::SmallVector<unsigned> sequential; ///< numbers of the sequential loops, outermost first
  std::optional<unsigned> vector;         ///< number of the vectorised loop; null if no loop can be vectorised
  bool vectorReduces = false;             ///< whether the vectorised loop is a reduction
  int64_t outerPerChunk = 1;              ///< iterations of the flattened outer loop in a chunk
  int64_t vectorPerChunk = 0;             ///< points of the vectorised loop in a chunk; 0: all

  SizeExpr outerSize() const; ///< iterations of the flattened outer loop
  /// The number of points of the parallel loops in a whole chunk.
  int64_t pointsPerChunk() const;
  /// The number of blocks into which chunks divide the vectorised loop; 1 if they do not.
  SizeExpr vectorBlocks() const;
};

/// Chooses the schedule of `op`, in a kernel with these `sizes`, for vectors of `lanes` elements. The key `chunk` of
/// the kernel's `attn.schedule` requests the number of points of a chunk. A chunk of a vectorised parallel loop has a
/// multiple of 8 vectors of it, or the whole loop if its size is a constant and not larger.
LoopSchedule scheduleLoops(mlir::linalg::GenericOp op, const KernelSizes &sizes, int64_t lanes);

} // namespace attnc
