//===- AttendGeneral.h - attention on a device without tensor cores, for all formulas and normalisers -------------===//
//
// A warp has up to four rows of one batch and passes over their keys in blocks of 32, one key for each thread:
//
//   s[r]     = score of the thread's key and row r             keys across threads, four features at a time
//   m'[r]    = max(m[r], s[r] of all threads)                   by warp shuffles
//   a        = exp2(m - m'),  p[r] = exp2(s[r] - m'[r])         l[r] = a * l[r] + p[r], a partial sum for each thread
//   o[r][v]  = a * o[r][v] + sum_k p_k[r] * V[k][v]             values across threads, weights through shared memory
//
// and finally writes o / l, with l summed over the threads. A block of keys that is masked for all rows is skipped; a
// block without masked pairs runs without mask code (AttendMask.h). If the mask bounds the range of keys, the loop
// covers that range only. If a row has more values than the threads have registers for, its values are computed in
// slices, with one pass over the keys for each slice. Memory use does not grow with the number of queries or keys.
//
// The formulas above are softmax. Normalisers of other orders, and statistics that need final attention weights, take
// the same passes as on processors (CPU/Attend/AttendPrefill.h). If an attention weight depends on the keys before it,
// one thread for each row computes the weights of a block in order. Top keys are kept per thread and merged at the end.
//
// Numbers of rows, keys and features are arbitrary. The RegionVectoriser evaluates all formulas.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendSplitKv.h"
#include "compiler/Codegen/GPU/Nest/SharedArray.h"

namespace attnc {

/// Distribution of rows and values over warps and threads.
struct AttendGeneralShape {
  AttendGeneralShape(const AttendProblem &problem, const RowNumbers &numbers);

  int64_t rows;         ///< rows of a warp
  int64_t width;        ///< values in one access of a thread
  int64_t accesses;     ///< accesses of a thread in one slice of the values
  SizeExpr warps;       ///< warps of the launch
  SizeExpr rowBlocks;   ///< row blocks of a batch; a warp computes one
  SizeExpr valueSlices; ///< slices of the values; one pass over the keys for each
  int64_t sliceValues() const { return warpThreads * width * accesses; }
};

/// Whether AttendGeneral supports the problem.
Verdict canAttendOnDevice(const AttendProblem &problem);

class AttendGeneral {
public:
  /// `frame` is that of the kernel phase, and still empty.
  AttendGeneral(const AttendProblem &problem, const Target &target, DeviceFrame &frame, const RowNumbers &numbers);
  AttendGeneral(const AttendProblem &problem, const Target &target, DeviceFrame &frame)
      : AttendGeneral(problem, target, frame, RowNumbers::perBatch(problem)) {}
  /// Emits the kernel phase.
  KernelPhase emit();
  /// Emits the first phase of split-KV: each warp computes the partial results of one split of its rows; AttendMerge
  /// merges them.
  KernelPhase emitPartials(const AttendSplitKv &splitKv);
  /// Emits the rows of a warp from `firstRow` (index) of a batch on. Called once.
  void emitWarp(mlir::Value batchNumber, mlir::Value firstRow);
  int64_t warpRows() const { return shape.rows; }

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  enum class Pass {
    Online,     ///< online softmax: all in one pass
    Statistics, ///< row maxima and row sums
    Apply       ///< values, with final attention weights
  };

  /// Loop-carried values of a thread, by row; floats are vectors of one lane.
  struct RowStates {
    Values largest; ///< m: the same in all threads of the warp
    Values sums;    ///< partial l of this thread
    Values logs;    ///< partial sum of w log2 w of this thread; empty without entropy
    Values top;     ///< [row][rank]: largest scores of this thread and their keys (i32); empty without top keys
    Values values;  ///< [row][access], vectors of `width`; not normalised

    Values packed() const;
    RowStates with(ValueRange packed) const;
  };
  /// Row sums over all threads, and the normalising factors of rows.
  struct RowTotals {
    Values sums, factors;
  };
  /// Up to 32 keys.
  struct KeyBlock {
    Value firstKey, end; ///< of the range of keys
    Value key;           ///< this thread's key; the last key, if it is past the end
    Values unmasked;     ///< [row]: whether this thread's pair takes part (i1)
  };

  // AttendGeneral.cpp: rows, passes and blocks of keys
  void openRows(Value batchNumber);
  RegionVectoriser rowPoint(int64_t lanes, int64_t row);
  void emitRows();
  void emitSlice(Value slice, const RowStates &statistics, const RowTotals &totals);
  RowStates initialStates(bool withSink = true);
  RowStates beginSlice(RowStates states);
  Value sinkScore(int64_t row);
  RowTotals rowTotals(const RowStates &states);
  RowStates passKeys(Pass pass, const RowStates &start, const RowTotals &totals, Value firstValue);
  RowStates considerBlock(Pass pass, KeyBlock block, const RowStates &before, const RowTotals &totals, Value firstValue,
                          const AttendMask::Decision &decision);
  RowStates computeBlock(Pass pass, KeyBlock block, RowStates states, const RowTotals &totals, Value firstValue);
  Value hasUnmasked(const KeyBlock &block);

  // AttendGeneralScores.cpp: scores and weights of a block
  std::vector<RegionVectoriser> bindPairs(int64_t lanes, Value key);
  Values evaluateForRows(std::vector<RegionVectoriser> &pairs, mlir::Region &formula);
  Values unmaskedPairs(const KeyBlock &block, Value all);
  Values computeProduct(const PairReduction &product, std::vector<RegionVectoriser> &pairs, Value key);
  Values sumFeatures(const PairReduction &product, Value key);
  Values computeScores(Pass pass, KeyBlock &block);
  void raiseMaxima(const Values &scores, RowStates &states);
  Values computeWeights(Pass pass, const KeyBlock &block, const Values &scores, RowStates &states,
                        const RowTotals &totals);
  Values weighInOrder(const Values &scores, RowStates &states);
  Values pairWeights(const KeyBlock &block, const Values &normalised);
  Value isOneThread(int64_t rank);
  Value chooseByRank(const Values &rowValues);

  // AttendGeneralValues.cpp: sums of values, and results
  void shareWeights(const KeyBlock &block, const Values &weights);
  void addValues(const KeyBlock &block, RowStates &states, Value firstValue);
  Values addKey(const KeyBlock &block, Value key, ValueRange before, Value firstValue, bool unmaskedOnly);
  Value valueNumber(Value firstValue, int64_t access);
  void bindValue(RegionVectoriser &to, Value number);
  void checkPairs(const KeyBlock &block, mlir::Region &formula, const Values &unmasked, ValueRange sizes = {});
  void storeValues(const RowStates &states, const Values &factors, Value firstValue);
  void storePartials(const RowStates &states, PartialResults &memory, Value split, Value firstValue);
  void storeWeights(const KeyBlock &block, const Values &weights);
  void clearWeights();
  void forEachRow(llvm::function_ref<void(int64_t row)> body);
  void storeRowResult(int64_t row, Value value, mlir::attn::Statistic statistic, ValueRange last = {});
  void storeStatistics(const RowStates &states, const RowTotals &totals);

  // AttendGeneralTop.cpp: the largest keys
  void updateTop(const KeyBlock &block, const Values &scores, RowStates &states);
  Values insertTop(ValueRange ranks, Value score, Value key);
  Values mergeTop(ValueRange threadRanks);
  void storeTop(const RowStates &states, const RowTotals &totals);
  Value topWeight(int64_t row, Value score, Value key, const Normaliser::Carriers &carriers, Value factor, Value &sum);

  bool carriesLogs(Pass pass) const;
  bool seesScores(Pass pass) const;
  bool isScaled(Pass pass) const {
    return pass == Pass::Apply && problem.normaliser->order() == Normaliser::Order::Factor;
  }
  NormaliserCode code() { return {loops, target}; }
  Value scalarOf(Value value);
  Value threadSum(Value share);
  mlir::attn::AttendOp op() const { return problem.op; }

  const AttendProblem &problem;
  const Target &target;
  AttendGeneralShape shape;
  DeviceFrame &frame;
  LoopBuilder loops; ///< of one lane
  ThreadGroup group;
  AttendRows rows;
  SharedArray weightTile, maskTile; ///< [warp][key][row], [warp][key]: a bit a row
  Value firstRow;
  Values rowExists; ///< [row]: i1
  llvm::SmallVector<Values> rowIndices;
  std::vector<RegionVectoriser> rowPoints; ///< of one lane
  Value tileStart;                         ///< index: of this warp's keys in maskTile
};

} // namespace attnc
