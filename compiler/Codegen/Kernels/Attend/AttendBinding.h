//===- AttendBinding.h - binding of the indices of attention in all of its formulas -------------------------------===//
//
// The formulas of an attn.attend (score, mask, weight, value and sink) are regions, each with its own block arguments
// for the same indices. The emitters' loops bind an index by these functions in every region that has it. (The key is a
// tuple of one or more indices; rows, keys and values are numbered in row-major order of their dimensions.)
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "compiler/Codegen/Kernels/Attend/AttendProblem.h"
#include "compiler/Codegen/Nest/LoopBuilder.h"

namespace attnc {

/// The index `index` (of type index) in all lanes. Loads clamp neither this index nor a steppingIndex(), so active
/// lanes must be in range.
inline LaneIndex uniformIndex(mlir::Value index) { return {index, 0, {}, true}; }
/// The index first + n * step in lane n; `first` has type index.
inline LaneIndex steppingIndex(mlir::Value first, int64_t step = 1) { return {first, step, {}, true}; }

/// Each binds, in every region of the problem's op that has it, the index of one dimension to `index`, in the
/// vectoriser `to`. `dimension` is the number of an outer dimension, of a key dimension, or of a value dimension.
void bindOuter(const AttendProblem &problem, RegionVectoriser &to, unsigned dimension, const LaneIndex &index);
void bindKeyIndex(const AttendProblem &problem, RegionVectoriser &to, unsigned dimension, const LaneIndex &index);
void bindValueIndex(const AttendProblem &problem, RegionVectoriser &to, unsigned dimension, const LaneIndex &index);

/// Emits the subscripts of elements number first, first + 1, ..., one element in each lane, of a space of `sizes` in
/// row-major order. `first` and `sizes` have type index; with several sizes, numbers are computed in 32 bits. Lanes
/// past the last element have an outermost subscript out of range, so they must be inactive.
llvm::SmallVector<LaneIndex> steppingSubscripts(LoopBuilder &loops, mlir::Value first, mlir::ValueRange sizes);

/// Emits the subscripts of the elements with these numbers, a vector<Lxi32>, of a space of `sizes` in row-major order.
llvm::SmallVector<LaneIndex> subscriptsOfLanes(LoopBuilder &loops, mlir::Value numbers, mlir::ValueRange sizes);

/// The outer indices as bound in `of`, by dimension. outerIndices() returns all; unsummedIndices() returns those of
/// dimensions that the statistic `key_sums` does not sum over.
llvm::SmallVector<LaneIndex> outerIndices(const AttendProblem &problem, RegionVectoriser &of);
llvm::SmallVector<LaneIndex> unsummedIndices(const AttendProblem &problem, RegionVectoriser &of);

/// Emits the subscripts (index) of `extract`, all of which must be uniform in `point`. They are neither clamped nor
/// reported: subscripts from data need RegionVectoriser::clampedSubscript().
LoopBuilder::Values subscriptsOf(RegionVectoriser &point, mlir::tensor::ExtractOp extract);

/// Element d of the result is indices[order[d]].
template <typename Indices> Indices permuted(const Indices &indices, llvm::ArrayRef<int64_t> order) {
  Indices result;
  for (int64_t dimension : order)
    result.push_back(indices[dimension]);
  return result;
}

} // namespace attnc
