//===- AttendWarpGroups.h - attention by warp groups that multiply together ---------------------------------------===//
//
// For sm_90a (DeviceForm::WarpGroups). A block has 128 queries of one batch and three warp groups. One copies the
// queries, and then tile after tile of keys, with the values of the tile before, into a ring of stages (TileRing.h);
// the other two have 64 queries each, and multiply by wgmma:
//
//   S = Q K^T                       both in shared memory
//   of the tile before: O += P V    P in registers, V with its depth along the columns; under way with S
//   s, m', p, l of this tile        when S is there, while O is under way (AttendFragments.h)
//   O = a O                         when O is there
//
// The two take turns to begin products: while one makes weights of its scores, the other one's products run. (Shah and
// others: FlashAttention-3, 2024.) Tiles that a mask empties are neither copied nor computed, those that are kept whole
// run without it; every warp group finds them by itself.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendFragments.h"
#include "compiler/Codegen/GPU/Tile/TileRing.h"
#include "compiler/Codegen/GPU/Tile/WarpGroupProduct.h"

namespace attnc {

class AttendWarpGroups {
public:
  static constexpr int64_t consumers = 2, threads = (1 + consumers) * warpGroupThreads;
  static constexpr int64_t queries = consumers * warpGroupRows, stages = 2;

  /// Keys of a tile: what a thread has registers for, and a block memory.
  static int64_t keysOfTile(const AttendMatrices &matrices);

  AttendWarpGroups(const AttendProblem &problem, const AttendMatrices &matrices, const Target &target,
                   llvm::StringRef symbol, mlir::ModuleOp code);
  KernelPhase emit();

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  using States = AttendFragments::States;

  /// What a thread that computes carries from tile to tile.
  struct Carried {
    KeyTile next;          ///< behind the one whose weights are these
    TileRing::Place place; ///< of the next one's keys, and this one's values
    States states;
    Values weights; ///< left matrices, i32: [16 keys][register]

    Values packed() const;
    Carried with(ValueRange packed) const;
  };

  SizeExpr rowBlocks() const { return problem.rows.ceilDiv(queries); }
  void openBlock();
  SharedTile tileOf(int64_t rows, int64_t columns, int64_t numStages);

  void copyAll();
  TileCopy prepare(const SharedTile &tile, const AttendSources::KeyRows &lines);

  void computeAll();
  States passTiles(const KeyTile &first, const States &start);
  Carried begin(const KeyTile &first, const States &start);
  Carried continueWith(const Carried &before);
  Values multiplyKeys(const TileRing::Place &place);
  Values addValues(const Carried &of);
  Values weigh(const KeyTile &tile, ValueRange sums, States &states, Values &corrections);
  void release(const TileRing::Place &place);
  Value isLeft(const KeyTile &tile);

  const AttendProblem &problem;
  const AttendMatrices matrices;
  const int64_t keys;
  DeviceFrame frame;
  TileBuilder tiles;
  LoopBuilder loops; ///< of indices alone
  AttendRows rows;
  AttendFragments fragments;
  AttendSources sources;
  BlockMemory memory;
  SharedTile queryTile, keyTile, valueTile;
  TileRing ring;
  Value firstRow;
  Value thread, group, laneNumber; ///< i32; `group` of those that compute
  std::optional<WarpGroupTurns> turns;
};

} // namespace attnc
