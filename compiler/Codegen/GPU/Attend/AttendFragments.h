//===- AttendFragments.h - scores, weights and sums in the registers of a warp ------------------------------------===//
//
// A warp has 16 rows. Its sums S = Q K^T and O = P V lie in its lanes as fragments of 8 columns beside each other
// (Fragment.h), whoever multiplies: a lane has two neighbouring keys, or values, of two rows in each square.
//
//   s = score(S, ...), -inf where masked                formulas on these pairs of keys
//   m' = max(m, s), p = exp2(s - m'), l = a l + sum p   by the four lanes that share a row
//   O = a O
//
// A weight, rounded to the tensors' type, is already in the registers of the left matrix of P V. Sums, statistics and
// formulas are f32. Rows of which a sum is no finite number are computed again by AttendGeneral: a tensor core
// multiplies weights of zero too, and does not hide what a dropped pair's value is; words that are rounded to tf32 may
// become infinite, and an infinity has no two parts (Factor.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendGeneral.h"
#include "compiler/Codegen/GPU/Attend/AttendMatrices.h"

namespace attnc {

class AttendFragments {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  /// A lane has elements of two rows, and two columns of each in a square.
  static constexpr int64_t rowsOfLane = 2, sumsOfSquare = 4;

  /// What a lane carries from tile to tile.
  struct States {
    Values largest; ///< [row]: f32, the same in the four lanes of a row
    Values sums;    ///< [row]: l, a lane's share; two lanes of a vector
    Values values;  ///< [square][element of FragmentD]: f32

    Values packed() const;
    States with(ValueRange packed) const;
  };

  /// `frame` is the phase's, before anything else is in it.
  AttendFragments(const AttendProblem &problem, const Target &target, DeviceFrame &frame, AttendRows &rows);

  /// For the 16 rows from `firstRow` (index) on; `lane` (i32) is the thread's number in its warp.
  void open(Value firstRow, Value lane);
  /// A sink counts once: where keys are split, nobody begins with it.
  States start(int64_t values, bool withSink = true);

  /// Makes l a NaN where one of the sums S, [square][element], is no finite number: a formula might hide that.
  void checkProducts(ValueRange sums, States &states);
  /// Scores as the normaliser takes them, [square][row], vectors of two keys; of sums S.
  Values scoresOf(const KeyTile &tile, ValueRange sums);
  /// The rows' largest scores with those of a tile: what l was is corrected, and what O has to be, is returned: [row].
  Values raiseMaxima(ValueRange scores, States &states);
  /// O times what it has to be corrected by; nothing where there are no corrections.
  static void correct(Values &values, ValueRange corrections, LoopBuilder &loops);
  /// [square][row]; the rows' sums go on.
  Values weightsOf(const KeyTile &tile, ValueRange scores, States &states);
  /// Those of as many keys, from `square` on, as a product is deep; and all of them.
  FragmentA leftMatrix(MatrixType type, ValueRange weights, int64_t square);
  llvm::SmallVector<FragmentA> leftMatrices(MatrixType type, ValueRange weights);

  /// l of the rows, of all lanes: [row], f32.
  Values totalsOf(const States &states);
  /// Writes the rows' results.
  void finish(const States &states);

private:
  Values scoresOf(const KeyTile &tile, ValueRange sums, bool masked);
  RegionVectoriser bindPairs(const KeyTile &tile, int64_t square, int64_t row);
  void openScale();
  Value greater(Value a, Value b);
  Value quadOf(mlir::attn::Combine kind, Value value);
  Value zeroTimes(ValueRange sums);
  void storeRow(int64_t row, const States &states, Value factor, const Normaliser::Carriers &carriers);
  void repair(Value isNeeded);

  NormaliserCode code() { return {loops, target}; }
  Value pairOf(Value left, Value right);
  Value lane(Value vector, int64_t number);
  mlir::attn::AttendOp op() const { return problem.op; }
  const PairReduction &product() const { return problem.products[0]; }

  const AttendProblem &problem;
  const Target &target;
  DeviceFrame &frame;
  AttendRows &rows;
  TileBuilder tiles;
  LoopBuilder loops; ///< of two lanes: neighbouring keys
  ThreadGroup warp;
  AttendGeneral general;
  Value firstRow;
  FragmentPlace place;
  Values rowExists; ///< [row of the lane]: i1
  std::vector<RegionVectoriser> rowPoints;
  Value scale; ///< of products, in two lanes; null for 1
};

} // namespace attnc
