//===- AttendWarpGroups.h - attention by warp groups that multiply together ---------------------------------------===//
//
// For sm_90a (DeviceForm::WarpGroups). A block has 128 queries of one batch and three warp groups. One fetches the
// queries and tile after tile of keys and values (KeyRings.h); the other two have 64 queries each, and multiply by
// wgmma:
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
#include "compiler/Codegen/GPU/Attend/KeyRings.h"
#include "compiler/Codegen/GPU/Tile/WarpGroupProduct.h"

namespace attnc {

class AttendWarpGroups {
public:
  static constexpr int64_t consumers = 2, threads = (1 + consumers) * warpGroupThreads;
  static constexpr int64_t queries = consumers * warpGroupRows;

  /// How a block passes the keys.
  struct Tiling {
    int64_t keys, stages;                         ///< of a tile, of each ring
    int64_t registersToFetch, registersToCompute; ///< of a thread of each kind of warp group
    std::optional<AttendMaps> maps;               ///< where the hardware copies tiles
    Verdict hasMaps;                              ///< or why it does not
  };
  /// The largest tiles for which there are registers and memory; the reason where there are none completes "no warp
  /// groups: ".
  static Verdict chooseTiling(const AttendProblem &problem, const AttendMatrices &matrices,
                              std::optional<Tiling> &tiling);

  AttendWarpGroups(const AttendProblem &problem, const AttendMatrices &matrices, const Tiling &tiling,
                   const Target &target, llvm::StringRef symbol, mlir::ModuleOp code);
  /// Behind the phase that makes the maps.
  KernelPhase emit();

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  using States = AttendFragments::States;

  /// What a thread that computes carries from tile to tile.
  struct Carried {
    KeyTile next;          ///< behind the one whose weights are these
    TileRing::Place place; ///< of this one
    States states;
    Values weights; ///< left matrices, i32: [16 keys][register]

    Values packed() const;
    Carried with(ValueRange packed) const;
  };

  SizeExpr rowBlocks() const { return problem.rows.ceilDiv(queries); }
  void openBlock();
  void computeAll();
  States passTiles(const KeyTile &first, const States &start);
  Carried begin(const KeyTile &first, const States &start);
  Carried continueWith(const Carried &before);
  Values multiplyKeys(const TileRing::Place &place);
  Values addValues(const Carried &of);
  Values weigh(const KeyTile &tile, ValueRange sums, States &states, Values &corrections);
  void release(const TileRing &ring, const TileRing::Place &place);
  Value isLeft(const KeyTile &tile);

  const AttendProblem &problem;
  const AttendMatrices matrices;
  const Tiling tiling;
  DeviceFrame frame;
  TileBuilder tiles;
  LoopBuilder loops; ///< of indices alone
  AttendRows rows;
  AttendFragments fragments;
  AttendSources sources;
  BlockMemory memory;
  KeyRings rings;
  Value firstRow;
  Value thread, group, laneNumber; ///< i32; `group` of those that compute
  std::optional<WarpGroupTurns> turns;
};

} // namespace attnc
