//===- AttendGeneral.h - attention on a device without tensor cores, for all formulas -----------------------------===//
//
// The general algorithm of attention on a device: the kernel if tensor cores do not apply (AttendMatrices.h), and the
// repair of rows whose sums on tensor cores are not finite (AttendFragments.h). A warp computes up to four rows
// (queries) of one batch and visits their keys in blocks of 32, one key for each thread. For each row r and value v:
//
//   s[r]     = score of the thread's key and row r             WarpScores
//   m'[r], a, p[r], l[r]: online softmax                       WarpNormaliser
//   o[r][v]  = a * o[r][v] + sum_k p_k[r] * V[k][v]            WarpValues, values across threads
//
// with m and m' the row maximum before and after the block of keys, a the correction exp2(m - m'), p the attention
// weight and l this thread's part of the row sum. Finally the warp writes o / l, with l summed over the threads. A
// block of keys that is masked for all rows is skipped; a block without masked pairs runs without mask code
// (AttendMask.h). If the mask bounds the range of keys, the loop covers that range only. If a row has more values than
// the threads have registers for, its values are computed in slices, with one pass over the keys for each slice. Only
// emitPartials() needs scratch in global memory.
//
// Normalisers whose weights need more than one pass, and statistics that need final attention weights, have the same
// passes as on processors (Kernels/Attend/PassPlan.h), except Materialise, which no device code supports.
//
// Numbers of rows, keys and features are arbitrary. The RegionVectoriser generates the code of all formulas.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendSplitKv.h"
#include "compiler/Codegen/GPU/Attend/General/WarpContext.h"

namespace attnc {

/// Whether AttendGeneral supports the problem; otherwise the reason: the normaliser needs all scores of a row at once,
/// sums of keys over rows are a result, or more than maxTopEntries top keys are. Each device kernel of attention
/// requires it.
Verdict canAttendOnDevice(const AttendProblem &problem);

/// The code of the general algorithm in one kernel phase. At most one of the emit functions is called, once.
class AttendGeneral {
public:
  /// `frame` is that of the kernel phase; the object is created before the code of the phase is emitted. Declares
  /// static shared memory in the function. `numbers` is the numbering of the rows by batch. The arguments outlive the
  /// object.
  AttendGeneral(const AttendProblem &problem, const Target &target, DeviceFrame &frame, const RowNumbers &numbers);
  AttendGeneral(const AttendProblem &problem, const Target &target, DeviceFrame &frame)
      : AttendGeneral(problem, target, frame, RowNumbers::perBatch(problem)) {}
  /// Emits a phase that computes all results, with one warp for each warpRows() rows, and returns it.
  KernelPhase emit();
  /// Emits the first phase of split-KV, and returns it: each warp computes the partial results of one split of its
  /// rows. Requires AttendSplitKv::canSplit, and that the constructor received `splitKv.numbers`. The caller multiplies
  /// the chunks by `splitKv.areFew`, and appends the phase of AttendMerge, which merges the partial results.
  KernelPhase emitPartials(const AttendSplitKv &splitKv);
  /// Emits code at the insertion point of the frame, by which the executing warp computes and stores all results of
  /// warpRows() rows of batch `batchNumber` (index), or fewer at its end, from row number `firstRow` (index) on.
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
