//===- AttendGeneral.h - attention of any kind on a device --------------------------------------------------------===//
//
// A warp has up to four rows of one batch and passes their keys in blocks of 32, one a thread:
//
//   s[r]     = score of the thread's key and row r             keys in the threads: four features at a time
//   m'[r]    = max(m[r], s[r] of all threads)                   exchanges
//   a        = exp2(m - m'),  p[r] = exp2(s[r] - m'[r])         l[r] = a * l[r] + p[r], each thread its share
//   o[r][v]  = a * o[r][v] + sum_k p_k[r] * V[k][v]             values in the threads: weights by shared memory
//
// and at the end o / l, with l the sum of the threads' shares. A block of keys that no row keeps is skipped, one that
// all keep runs without its mask (AttendMask.h); the range of keys is known beforehand where the mask tells it. More
// values than the threads have registers for are parts, each with its own pass. What is held does not grow with the
// lengths.
//
// That is softmax. Normalisers of other orders, and final weights, take the passes that they take on processors
// (CPU/Attend/AttendPrefill.h). Where a weight depends on the keys before it, a thread a row weighs the keys of a block
// in their order. The largest keys of a row are found by each thread among its own, and merged at the end.
//
// Rows, keys and features of any number; every formula is evaluated by the RegionVectoriser. Products do not use the
// tensor cores here.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendParts.h"
#include "compiler/Codegen/GPU/Nest/SharedArray.h"

namespace attnc {

/// Who computes what.
struct AttendGeneralShape {
  AttendGeneralShape(const AttendProblem &problem, const RowNumbers &numbers);

  int64_t rows;        ///< of a warp
  int64_t width;       ///< values of one access of a thread
  int64_t accesses;    ///< of a thread, for one part of the values
  SizeExpr warps;      ///< that have rows
  SizeExpr rowBlocks;  ///< of a batch, one a warp
  SizeExpr valueParts; ///< each of which takes a pass over the keys
  int64_t valuesOfPart() const { return warpThreads * width * accesses; }
};

/// Whether there is code for it.
Verdict canAttendOnDevice(const AttendProblem &problem);

class AttendGeneral {
public:
  /// `frame` is the phase's, before anything else is in it.
  AttendGeneral(const AttendProblem &problem, const Target &target, DeviceFrame &frame, const RowNumbers &numbers);
  AttendGeneral(const AttendProblem &problem, const Target &target, DeviceFrame &frame)
      : AttendGeneral(problem, target, frame, RowNumbers::ofBatches(problem)) {}
  /// The whole phase.
  KernelPhase emit();
  /// The whole phase, a warp a split of some rows: AttendMerge makes results of its parts.
  KernelPhase emitParts(const AttendParts &parts);
  /// What a warp does with its rows, from number `firstRow` of a batch on (index); asked for once.
  void emitWarp(mlir::Value batchNumber, mlir::Value firstRow);
  int64_t rowsOfWarp() const { return shape.rows; }

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  enum class Pass {
    Online,     ///< everything in one pass
    Statistics, ///< the rows' largest scores and sums
    Apply       ///< the values, with final weights
  };

  /// What a thread carries from block to block of keys, row by row; floats are vectors of one lane.
  struct RowStates {
    Values largest; ///< the same in all threads of the warp
    Values sums;    ///< l: a thread's share
    Values logs;    ///< sum of w log2 w: a thread's share; empty where no entropy is wanted
    Values top;     ///< [row][rank]: score and key (i32) of the thread's largest ones; empty where none are wanted
    Values values;  ///< [row][access], vectors of `width`; not normalised

    Values packed() const;
    RowStates with(ValueRange packed) const;
  };
  /// What rows are multiplied with, and what sums over all threads are.
  struct RowTotals {
    Values sums, factors;
  };
  /// Up to 32 keys.
  struct KeyBlock {
    Value firstKey, end; ///< of all keys
    Value key;           ///< the thread's; past the end the last one
    Values kept;         ///< [row]: whether the thread's pair takes part (i1)
  };

  // AttendGeneral.cpp: rows, passes and blocks of keys
  void openRows(Value batchNumber);
  RegionVectoriser pointOf(int64_t lanes, int64_t row);
  void emitRows();
  void emitPart(Value part, const RowStates &statistics, const RowTotals &totals);
  RowStates startOfRows(bool withSink = true);
  RowStates startOfPass(RowStates states);
  Value sinkOf(int64_t row);
  RowTotals totalsOf(const RowStates &states);
  RowStates passKeys(Pass pass, const RowStates &start, const RowTotals &totals, Value firstValue);
  RowStates considerBlock(Pass pass, KeyBlock block, const RowStates &before, const RowTotals &totals, Value firstValue,
                          const AttendMask::Decision &decision);
  RowStates computeBlock(Pass pass, KeyBlock block, RowStates states, const RowTotals &totals, Value firstValue);
  Value keepsSome(const KeyBlock &block);

  // AttendGeneralScores.cpp: scores and weights of a block
  std::vector<RegionVectoriser> bindPairs(int64_t lanes, Value key);
  Values evaluateForRows(std::vector<RegionVectoriser> &pairs, mlir::Region &formula);
  Values keptPairs(const KeyBlock &block, Value all);
  Values productOf(const PairReduction &product, std::vector<RegionVectoriser> &pairs, Value key);
  Values sumFeatures(const PairReduction &product, Value key);
  Values scoresOf(Pass pass, KeyBlock &block);
  void raiseMaxima(const Values &scores, RowStates &states);
  Values weightsOf(Pass pass, const KeyBlock &block, const Values &scores, RowStates &states, const RowTotals &totals);
  Values weighInOrder(const Values &scores, RowStates &states);
  Values weightsOfPairs(const KeyBlock &block, const Values &normalised);
  Value isOneThread(int64_t rank);
  Value chooseByRank(const Values &ofRows);

  // AttendGeneralValues.cpp: sums of values, and results
  void shareWeights(const KeyBlock &block, const Values &weights);
  void addValues(const KeyBlock &block, RowStates &states, Value firstValue);
  Values addKey(const KeyBlock &block, Value key, ValueRange before, Value firstValue, bool keptAlone);
  Value valueNumber(Value firstValue, int64_t access);
  void bindValue(RegionVectoriser &to, Value number);
  void checkPairs(const KeyBlock &block, mlir::Region &formula, const Values &kept, ValueRange sizes = {});
  void storeValues(const RowStates &states, const Values &factors, Value firstValue);
  void storeParts(const RowStates &states, PartMemory &memory, Value split, Value firstValue);
  void storeWeights(const KeyBlock &block, const Values &weights);
  void clearWeights();
  void forEachRow(llvm::function_ref<void(int64_t row)> body);
  void storeOfRow(int64_t row, Value value, mlir::attn::Statistic statistic, ValueRange last = {});
  void storeStatistics(const RowStates &states, const RowTotals &totals);

  // AttendGeneralTop.cpp: the largest keys
  void noteTop(const KeyBlock &block, const Values &scores, RowStates &states);
  Values enter(ValueRange ranks, Value score, Value key);
  Values mergeTop(ValueRange ofThread);
  void storeTop(const RowStates &states, const RowTotals &totals);
  Value weightOfTop(int64_t row, Value score, Value key, const Normaliser::Carriers &carriers, Value factor,
                    Value &sum);

  bool carriesLogs(Pass pass) const;
  bool seesScores(Pass pass) const;
  bool isScaled(Pass pass) const {
    return pass == Pass::Apply && problem.normaliser->order() == Normaliser::Order::Factor;
  }
  NormaliserCode code() { return {loops, target}; }
  Value scalarOf(Value value);
  Value sumOfThreads(Value share);
  mlir::attn::AttendOp op() const { return problem.op; }

  const AttendProblem &problem;
  const Target &target;
  AttendGeneralShape shape;
  DeviceFrame &frame;
  LoopBuilder loops; ///< of one lane
  ThreadGroup group;
  AttendRows rows;
  SharedArray weightTile, keptTile; ///< [warp][key][row], [warp][key]: a bit a row
  Value firstRow;
  Values rowExists; ///< [row]: i1
  llvm::SmallVector<Values> rowIndices;
  std::vector<RegionVectoriser> rowPoints; ///< of one lane
  Value firstOfTile;                       ///< index: of this warp's keys in keptTile
};

} // namespace attnc
