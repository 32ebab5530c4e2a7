//===- AttendFragments.h - online softmax on the fragments of a warp ----------------------------------------------===//
//
// A warp has 16 rows. The products S = Q K^T and O = P V are fragments of 8 columns side by side in its lanes, whether
// mma.sync or wgmma computes them (Fragment.h). In each fragment a lane has two neighbouring keys, or values, of two
// rows.
//
//   s = score(S, ...), -inf where masked                formulas on pairs of keys
//   m' = max(m, s), p = exp2(s - m'), l = a l + sum p   m is reduced over the four lanes that share a row
//   O = a O
//
// Here a is the correction of the former maximum, exp2(m - m'), and l the row sum. Other normalisers replace exp2
// (Normaliser.h). Attention weights, rounded to the type of the tensors, are already a fragment of A for P V. Sums,
// statistics and formulas are f32.
//
// If a row has an l that is NaN, or an O that is not finite, AttendGeneral computes the 16 rows of the warp again
// (finish). That is needed because a tensor core multiplies attention weights of zero too, so an infinite value of a
// dropped pair makes the sum NaN; f32 that is rounded to tf32 may become infinite; and an infinity has no tf32 split
// (OperandFragment.h).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendGeneral.h"
#include "compiler/Codegen/GPU/Attend/AttendMatrices.h"

namespace attnc {

/// The 16 rows of the executing warp. All threads of the warp execute its code together.
class AttendFragments {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  /// A lane has two rows of a fragment of D, and two neighbouring columns of each.
  static constexpr int64_t laneRows = 2, fragmentSums = 4;

  /// Loop-carried values of a lane.
  struct States {
    Values largest; ///< [row]: m, f32, the same in the four lanes of a row
    Values sums;    ///< [row]: partial l of this lane, in two vector lanes
    Values values;  ///< [fragment][element of FragmentD]: O, f32

    Values packed() const;
    States with(ValueRange packed) const;
  };

  /// `frame` is that of the kernel phase, and has no code yet.
  AttendFragments(const AttendProblem &problem, const Target &target, DeviceFrame &frame, AttendRows &rows);

  /// Binds the 16 rows of the batch from `firstRow` (index) on; `lane` (i32) is the thread's number in its warp.
  void open(Value firstRow, Value lane);
  /// The initial states, for `values` columns of O. A sink is added once: partial results of split-KV start without it.
  States start(int64_t values, bool withSink = true);

  /// Makes l of both rows NaN if one of the products S, [fragment][element of FragmentD], is not finite; a formula
  /// might hide that.
  void checkProducts(ValueRange sums, States &states);
  /// Scores of products S, scaled as the normaliser requires (scoreScale), or droppedScore: [fragment][row], vectors of
  /// two keys. `tile` starts at the first key of `sums`.
  Values computeScores(const KeyTile &tile, ValueRange sums);
  /// Updates m with the scores of a tile and corrects l; returns the factors (f32) by which the caller multiplies O,
  /// [row]. Only for normalisers that use the maximum.
  Values raiseMaxima(ValueRange scores, States &states);
  /// Multiplies O, `values` of States, by the corrections; does nothing if there are none.
  static void correct(Values &values, ValueRange corrections, LoopBuilder &loops);
  /// Attention weights, not normalised, after the weight region: [fragment][row], vectors of two keys. Adds those
  /// before the region to l.
  Values computeWeights(const KeyTile &tile, ValueRange scores, States &states);
  /// The attention weights as one fragment of A: those of productDepth(type) keys, from fragment number `fragment` of
  /// `weights` on. leftMatrices returns these fragments for all keys.
  FragmentA leftMatrix(MatrixType type, ValueRange weights, int64_t fragment);
  llvm::SmallVector<FragmentA> leftMatrices(MatrixType type, ValueRange weights);

  /// l of the rows, reduced over lanes: [row], f32.
  Values rowTotals(const States &states);
  /// Normalises and stores the value and the lse of the rows that exist, and computes them again if necessary.
  void finish(const States &states);

private:
  Values computeScores(const KeyTile &tile, ValueRange sums, bool masked);
  RegionVectoriser bindPairs(const KeyTile &tile, int64_t fragment, int64_t row);
  void openScale();
  Value maximum(Value a, Value b);
  Value reduceQuad(mlir::attn::Combine kind, Value value);
  Value zeroTimes(ValueRange sums);
  void storeRow(int64_t row, const States &states, Value factor, const Normaliser::Carriers &carriers);
  void repair(Value isNeeded);

  NormaliserCode code() { return {loops, target}; }
  Value makePair(Value left, Value right);
  Value lane(Value vector, int64_t number);
  mlir::attn::AttendOp op() const { return problem.op; }
  const PairReduction &product() const { return problem.products[0]; }

  const AttendProblem &problem;
  const Target &target;
  DeviceFrame &frame;
  AttendRows &rows;
  TileBuilder tiles;
  LoopBuilder loops; ///< two vector lanes: neighbouring keys
  ThreadGroup warp;
  AttendGeneral general;
  Value firstRow;
  FragmentPosition position; ///< of this lane
  Values rowExists;          ///< [row of this lane]: i1
  std::vector<RegionVectoriser> rowPoints;
  Value scale; ///< factor of products, in two vector lanes; null for 1
};

} // namespace attnc
