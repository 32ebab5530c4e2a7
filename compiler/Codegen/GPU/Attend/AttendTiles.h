//===- AttendTiles.h - attention by tensor cores, each warp for itself --------------------------------------------===//
//
// A block has 64 queries of one batch, a warp of it 16, and passes their keys in tiles, which are copied while the tile
// before is computed (AsyncCopy.h): S = Q K^T, what AttendFragments makes of it, and O += P V. (Dao: FlashAttention-2,
// 2023.) A tile of pairs that a mask empties is neither copied nor computed, one that is kept whole runs without its
// mask.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/KeyStages.h"

namespace attnc {

class AttendTiles {
public:
  static constexpr int64_t warps = 4, threads = warps * warpThreads, queries = warps * productRows;

  AttendTiles(const AttendProblem &problem, const AttendMatrices &matrices, const Target &target,
              llvm::StringRef symbol, mlir::ModuleOp code);
  KernelPhase emit();

  static int64_t keysOfTile(const AttendProblem &problem, const AttendMatrices &matrices);
  const int64_t keys; ///< of a tile

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  using States = AttendFragments::States;

  SizeExpr rowBlocks() const { return problem.rows.ceilDiv(queries); }
  void openBlock();
  void openCopies();
  States passTiles();
  States computeTile(const KeyTile &tile, Value stage, States states);

  const AttendProblem &problem;
  const AttendMatrices matrices;
  DeviceFrame frame;
  TileBuilder tiles;
  LoopBuilder loops; ///< of indices alone
  AttendRows rows;
  AttendFragments fragments;
  AttendSources sources;
  BlockMemory memory;
  SharedTile queryTile;
  KeyStages stages;
  Value firstRow;
  Value laneNumber, warpNumber; ///< i32
};

} // namespace attnc
