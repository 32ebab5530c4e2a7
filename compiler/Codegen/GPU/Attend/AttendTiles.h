//===- AttendTiles.h - attention by mma.sync (FlashAttention-2) ---------------------------------------------------===//
//
// A block has 64 queries of one batch, 16 for each warp, and passes over their keys in tiles. While a tile is computed,
// the next one is copied (AsyncCopy.h). For each tile a warp computes S = Q K^T, the online softmax of AttendFragments,
// and O += P V (Dao: FlashAttention-2, 2023). A fully masked tile is neither copied nor computed; a tile without masked
// pairs runs without mask code.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/KeyStages.h"

namespace attnc {

class AttendTiles {
public:
  static constexpr int64_t warps = 4, threads = warps * warpThreads, queries = warps * productRows;

  /// Creates the function `symbol` in `code`.
  AttendTiles(const AttendProblem &problem, const AttendMatrices &matrices, const Target &target,
              llvm::StringRef symbol, mlir::ModuleOp code);
  /// Emits the code of the kernel phase, which computes all results.
  KernelPhase emit();

  /// Chooses the number of keys of a tile: a power of two from 8 to 64.
  static int64_t tileKeys(const AttendProblem &problem, const AttendMatrices &matrices);
  const int64_t keys; ///< keys of a tile

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
  LoopBuilder loops; ///< for indices only
  AttendRows rows;
  AttendFragments fragments;
  AttendSources sources;
  BlockMemory memory;
  SharedTile queryTile;
  KeyStages stages;
  Value firstRow;               ///< index: of the block
  Value laneNumber, warpNumber; ///< i32
};

} // namespace attnc
