//===- AttendFragments.h - online softmax on the fragments of a warp ----------------------------------------------===//
//
// The part of attention that all tensor-core kernels share: scores, mask, normaliser and results. A warp has 16 rows,
// that is, queries. The products S = Q K^T and O = P V are fragments of 16 rows and 8 columns side by side in its
// lanes, whether mma.sync or wgmma computes them (Fragment.h). In each fragment a lane has two neighbouring columns
// (keys of S, values of O) of two rows. The kernel passes over tiles of keys; for each tile, with m the row maximum
// before the tile:
//
//   s = score(S, ...), -inf where masked                formulas on pairs of keys
//   m' = max(m, s), p = exp2(s - m'), l = a l + sum p   m' is reduced over the four lanes that share a row
//   O = a O + P V                                       by the caller
//
// Here a is the correction of the former maximum, exp2(m - m'), and l the row sum. Other normalisers replace exp2
// (Normaliser.h). The attention weights P of a lane, rounded to 16 bits, are already in the layout of a fragment of A
// for P V; as 32-bit elements they are with permuted keys (Fragment.h). Sums, statistics and formulas are f32.
//
// If a row has an l that is NaN, or an O that is not finite, AttendGeneral computes the 16 rows of the warp again
// (finish; for split keys AttendMerge does this). Beside results that are NaN or infinite in any case, there are three
// causes. A tensor core multiplies attention weights of zero too, so an infinite value of a dropped pair makes the sum
// NaN. An f32 that is rounded to tf32 may become infinite. An infinity has no tf32 split (OperandFragment.h).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendGeneral.h"
#include "compiler/Codegen/GPU/Attend/AttendMatrices.h"

namespace attnc {

/// The 16 rows of the executing warp. All threads of the warp execute its code together. open() is called first, then
/// start(), then the functions for each tile, and finish() or rowTotals() at the end.
class AttendFragments {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  /// A lane has two rows of a fragment of D, and two neighbouring columns of each. In the comments below, an array
  /// dimension [row] has these two rows; [fragment] numbers fragments of 8 columns, from left to right.
  static constexpr int64_t laneRows = 2, fragmentSums = 4;

  /// Loop-carried values of a lane.
  struct States {
    Values largest; ///< [row]: m, f32, the same in the four lanes of a row
    Values sums;    ///< [row]: partial l of this lane, a vector of two f32, one for each of its two columns
    Values values;  ///< [fragment][element of FragmentD]: O, f32, not normalised

    Values packed() const;                ///< all values, as one list for a loop
    States with(ValueRange packed) const; ///< states of the same shape with the values of such a list
  };

  /// `frame` is that of the kernel phase, and `rows` has the same frame. The object is created before the code of the
  /// phase is emitted; its arguments outlive it. Declares static shared memory, for AttendGeneral.
  AttendFragments(const AttendProblem &problem, const Target &target, DeviceFrame &frame, AttendRows &rows);

  /// Binds the 16 rows of the open batch of `rows` from number `firstRow` (index) on; rows that do not exist repeat the
  /// last one and are not stored. `lane` (i32) is the thread's number in its warp. Called once, after
  /// AttendRows::openBatch; the functions for a tile also require AttendRows::open.
  void open(Value firstRow, Value lane);
  /// The states before the first key, for `values` columns of O, a multiple of 8. A sink is added once: partial results
  /// of split-KV start without it.
  States start(int64_t values, bool withSink = true);

  // In the functions for a tile, `sums` are the products S of this warp and the keys of the tile, as
  // [fragment][element of FragmentD]; their number determines the number of keys. `tile.first` is the first of these
  // keys. The tile may extend past the key range of `rows`.

  /// Makes l of both rows NaN if one of `sums` is not finite; a formula might hide that. Needed for 32-bit elements.
  void checkProducts(ValueRange sums, States &states);
  /// Scores: [fragment][row], vectors of two keys. A score is multiplied by Normaliser::scoreScale(). A score of -inf,
  /// and that of a masked pair or of a key past the range, is replaced by Normaliser::droppedScore().
  Values computeScores(const KeyTile &tile, ValueRange sums);
  /// Updates m with the scores of a tile and corrects l; returns the factors a (f32) by which the caller multiplies O,
  /// [row]. Only for normalisers that use the maximum.
  Values raiseMaxima(ValueRange scores, States &states);
  /// Multiplies O, which is `values` of States, by the corrections of raiseMaxima; does nothing if there are none.
  static void correct(Values &values, ValueRange corrections, LoopBuilder &loops);
  /// Attention weights, not normalised, after the weight region, which is linear here: [fragment][row], vectors of two
  /// keys; 0 for dropped pairs. Adds the weights before the region to l.
  Values computeWeights(const KeyTile &tile, ValueRange scores, States &states);
  /// The attention weights of productDepth(type) keys as one fragment of A, from fragment number `fragment` of
  /// `weights` on: rounded to 16-bit elements, or f32 as they are, for operandFragment(). leftMatrices returns these
  /// fragments for all keys, in order.
  FragmentA leftMatrix(MatrixType type, ValueRange weights, int64_t fragment);
  llvm::SmallVector<FragmentA> leftMatrices(MatrixType type, ValueRange weights);

  /// l of the rows, reduced over lanes: [row], f32.
  Values rowTotals(const States &states);
  /// Normalises O and stores it as the value, and the lse if it is a result, of the rows that exist. If an l of the
  /// warp is NaN or an O is not finite, the warp computes its rows again by AttendGeneral. `states` have all keys and
  /// all values of the rows.
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
