//===- AttendGeneral.h - attention on a device without tensor cores, for all formulas and normalisers -------------===//
//
// A warp computes up to four rows of one batch and visits their keys in blocks of 32, one key for each thread:
//
//   s[r]     = score of the thread's key and row r             WarpScores, four features at a time
//   m'[r], a, p[r], l[r]: online softmax                       WarpNormaliser
//   o[r][v]  = a * o[r][v] + sum_k p_k[r] * V[k][v]            WarpValues, values across threads
//
// with m the row maximum, a the correction exp2(m - m'), p the attention weight and l this thread's part of the row
// sum. Finally the warp writes o / l, with l summed over the threads. A block of keys that is masked for all rows is
// skipped; a block without masked pairs runs without mask code (AttendMask.h). If the mask bounds the range of keys,
// the loop covers that range only. If a row has more values than the threads have registers for, its values are
// computed in slices, with one pass over the keys for each slice. Memory use does not grow with the number of queries
// or keys.
//
// Normalisers of other orders, and statistics that need final attention weights, have the same passes as on processors
// (Kernels/Attend/PassPlan.h).
//
// Numbers of rows, keys and features are arbitrary. The RegionVectoriser evaluates all formulas.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendSplitKv.h"
#include "compiler/Codegen/GPU/Attend/General/WarpContext.h"

namespace attnc {

/// Whether AttendGeneral supports the problem; otherwise the reason.
Verdict canAttendOnDevice(const AttendProblem &problem);

class AttendGeneral {
public:
  /// `frame` is that of the kernel phase, and has no code yet. Allocates static shared memory.
  AttendGeneral(const AttendProblem &problem, const Target &target, DeviceFrame &frame, const RowNumbers &numbers);
  AttendGeneral(const AttendProblem &problem, const Target &target, DeviceFrame &frame)
      : AttendGeneral(problem, target, frame, RowNumbers::perBatch(problem)) {}
  /// Emits the kernel phase that computes all results.
  KernelPhase emit();
  /// Emits the first phase of split-KV: each warp computes the partial results of one split of its rows; AttendMerge
  /// merges them.
  KernelPhase emitPartials(const AttendSplitKv &splitKv);
  /// Emits the code by which the executing warp computes all results of warpRows() rows of a batch, or fewer at its
  /// end, from `firstRow` (index) on. May be called once.
  void emitWarp(mlir::Value batchNumber, mlir::Value firstRow);
  int64_t warpRows() const { return shape.rows; } ///< 1, 2 or 4

private:
  using Value = mlir::Value;
  WarpRows openRows(Value batchNumber, Value firstRow);
  WarpContext context(WarpRows &warp);

  const AttendProblem &problem;
  const Target &target;
  AttendGeneralShape shape;
  DeviceFrame &frame;
  LoopBuilder loops; ///< of one lane
  ThreadGroup group;
  AttendRows rows;
  SharedArray weightTile, maskTile;
};

} // namespace attnc
