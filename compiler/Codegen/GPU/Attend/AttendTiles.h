//===- AttendTiles.h - attention by tensor cores ------------------------------------------------------------------===//
//
// A block has 64 queries of one batch, a warp of it 16, and passes their keys in tiles, which are copied while the tile
// before is computed (AsyncCopy.h):
//
//   S = Q K^T                     fragments: a lane has two neighbouring keys of two rows, in each square of 8 keys
//   S = score(S, ...), -inf where masked                formulas on these pairs of keys
//   m' = max(m, S), p = exp2(S - m'), l = a l + sum p   by the four lanes that share a row
//   O = a O + P V                 P, rounded to the tensors' type, is already in the registers of the left matrix
//
// (Dao: FlashAttention-2, 2023.) A tile of pairs that a mask empties is neither copied nor computed, one that is kept
// whole runs without its mask. Sums, statistics and formulas are f32.
//
// It wants operands in bf16 or f16, one dot product in the score, 16 to 256 features and values, and a normaliser that
// is done in one pass. All else is DeviceAttend's; and so are rows in which a NaN turns up: a tensor core multiplies
// weights of zero too, and does not hide what a dropped pair's value is.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/DeviceAttend.h"
#include "compiler/Codegen/GPU/Tile/AsyncCopy.h"
#include "compiler/Codegen/GPU/Tile/Fragment.h"

namespace attnc {

/// Sizes of tiles, and what they hold.
struct AttendTilesShape {
  static constexpr int64_t warps = 4, threads = warps * warpThreads, queries = warps * productRows;

  MatrixType type;
  int64_t features, values;
  int64_t keys; ///< of a tile
  mlir::tensor::ExtractOp query, key, value;

  /// Nothing where the problem does not have this form.
  static std::optional<AttendTilesShape> of(const AttendProblem &problem);
  int64_t squares() const { return keys / productColumns; }
};

class AttendTiles {
public:
  AttendTiles(const AttendProblem &problem, const AttendTilesShape &shape, const Target &target, llvm::StringRef symbol,
              mlir::ModuleOp code);
  KernelPhase emit();

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  /// A lane has elements of two rows.
  static constexpr int64_t rowsOfLane = 2;

  /// What a lane carries from tile to tile.
  struct States {
    Values largest;                      ///< [row]: f32, the same in the four lanes of a row
    Values sums;                         ///< [row]: l, a lane's share; two lanes of a vector
    llvm::SmallVector<FragmentD> values; ///< [8 values]

    Values packed() const;
    States with(ValueRange packed) const;
  };
  /// A tile of keys that some pair may keep; none is left where `first` is not below the range's end.
  struct KeyTile {
    Value first, all; ///< index; i1: every pair is kept
  };
  /// A tensor of keys or values: bytes (i64) of the batch's first key, and between keys.
  struct KeyRows {
    Value first, stride;
  };

  // AttendTiles.cpp: rows, copies and the loop over tiles
  SizeExpr rowBlocks() const { return problem.rows.ceilDiv(AttendTilesShape::queries); }
  void openBlock();
  RegionVectoriser openBatch(int64_t lanes);
  RegionVectoriser bindRow(RegionVectoriser to, Value row);
  Value bytesOf(mlir::tensor::ExtractOp extract, RegionVectoriser &point);
  Value placeOfKey(mlir::tensor::ExtractOp extract, Value key);
  KeyRows rowsOf(mlir::tensor::ExtractOp extract);
  Value pointerOf(mlir::tensor::ExtractOp extract);
  void openCopies();
  void copyTile(const KeyTile &tile, Value stage);
  KeyTile search(Value from);
  States startOfRows();
  States passTiles();

  // AttendTilesBlock.cpp: what is computed with a tile, and results
  States computeTile(const KeyTile &tile, Value stage, States states);
  llvm::SmallVector<FragmentD> products(Value stage);
  Values scoresOf(const KeyTile &tile, llvm::ArrayRef<FragmentD> sums, bool masked);
  RegionVectoriser bindPairs(const KeyTile &tile, int64_t square, int64_t row);
  void raiseMaxima(const Values &scores, States &states);
  Values weightsOf(const KeyTile &tile, const Values &scores, States &states);
  void addValues(Value stage, const Values &weights, States &states);
  Value quadOf(mlir::attn::Combine kind, Value value);
  void finish(States states);
  void storeRow(int64_t row, const States &states, Value factor, const Normaliser::Carriers &carriers);
  void repair(Value hasNan);

  NormaliserCode code() { return {loops, target}; }
  Value lane(Value vector, int64_t number);
  mlir::attn::AttendOp op() const { return problem.op; }
  const PairReduction &product() const { return problem.products[0]; }

  const AttendProblem &problem;
  const AttendTilesShape shape;
  const Target &target;
  DeviceFrame frame;
  TileBuilder tiles;
  LoopBuilder loops; ///< of two lanes: neighbouring keys
  ThreadGroup warp;
  DeviceAttend general;
  AttendMask mask;
  BlockMemory memory;
  SharedTile queryTile, keyTile, valueTile;
  Value batchNumber, firstRow, rows, keys;
  Values outerSizes, batchIndices;
  Value laneNumber, warpNumber; ///< i32
  FragmentPlace place;
  Values ownRows, rowExists; ///< [row of the lane]: index, the last one repeated; i1
  std::vector<RegionVectoriser> rowPoints;
  AttendMask::KeyRange range;
  std::optional<TileCopy> copyKeys, copyValues;
  Value keyStride, valueStride; ///< i64, bytes
  std::optional<FragmentReader> readKeys, readValues;
};

} // namespace attnc
