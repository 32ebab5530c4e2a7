//===- AttendBinding.h - binding of the indices of attention in all of its formulas ---------------------------===//
//
// Score, mask, weight, value and sink are regions with arguments of their own for the same indices: an index is bound
// in each region that has it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "compiler/Codegen/Kernels/Attend/AttendProblem.h"
#include "compiler/Codegen/Nest/LoopBuilder.h"

namespace attnc {

/// An index that is the same in all lanes.
inline LaneIndex uniformIndex(mlir::Value index) { return {index, 0, {}, true}; }
/// Lane n has first + n * step.
inline LaneIndex steppingIndex(mlir::Value first, int64_t step = 1) { return {first, step, {}, true}; }

/// Bind the index of outer, key or value dimension number `dimension` in each region that has it. The key has an index
/// for each key dimension.
void bindOuter(const AttendProblem &problem, RegionVectoriser &to, unsigned dimension, const LaneIndex &index);
void bindKeyIndex(const AttendProblem &problem, RegionVectoriser &to, unsigned dimension, const LaneIndex &index);
void bindValueIndex(const AttendProblem &problem, RegionVectoriser &to, unsigned dimension, const LaneIndex &index);

/// The subscripts of elements number first, first + 1, ... of a row-major space of `sizes`, in the lanes.
llvm::SmallVector<LaneIndex> steppingSubscripts(LoopBuilder &loops, mlir::Value first, mlir::ValueRange sizes);

/// The subscripts in that space of the elements with these numbers, vector<Lxi32>.
llvm::SmallVector<LaneIndex> subscriptsOfLanes(LoopBuilder &loops, mlir::Value numbers, mlir::ValueRange sizes);

/// The bound outer indices: all of them, and those that `key_sums` does not sum over.
llvm::SmallVector<LaneIndex> outerIndices(const AttendProblem &problem, RegionVectoriser &of);
llvm::SmallVector<LaneIndex> unsummedIndices(const AttendProblem &problem, RegionVectoriser &of);

/// The coordinates that `extract` loads, in a formula whose indices are the same in all lanes.
LoopBuilder::Values subscriptsOf(RegionVectoriser &point, mlir::tensor::ExtractOp extract);

/// Element d of the result is element order[d].
template <typename Indices> Indices permuted(const Indices &indices, llvm::ArrayRef<int64_t> order) {
  Indices result;
  for (int64_t dimension : order)
    result.push_back(indices[dimension]);
  return result;
}

} // namespace attnc
