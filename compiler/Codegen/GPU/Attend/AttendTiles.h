//===- AttendTiles.h - attention by mma.sync (FlashAttention-2) ---------------------------------------------------===//
//
// The prefill algorithm of attention on tensor cores, for all devices; on sm_90a AttendWarpGroups replaces it for
// 16-bit elements, if it applies. A block computes 64 queries of one batch, 16 for each warp, and passes over their
// keys in tiles. While a tile is computed, the next one is copied (AsyncCopy.h). For each tile a warp computes S = Q
// K^T, the online softmax of AttendFragments with the attention weights P, and O += P V (Dao: FlashAttention-2, 2023).
// A fully masked tile is neither copied nor computed; a tile without masked pairs runs without mask code.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/KeyStages.h"

namespace attnc {

/// The code of the one kernel phase.
class AttendTiles {
public:
  /// Warps, threads and queries of a block.
  static constexpr int64_t warps = 4, threads = warps * warpThreads, queries = warps * productRows;

  /// Creates the function `symbol` in the device's module `code`. `matrices` are those of `problem`
  /// (AttendMatrices::match). `problem` and `target` outlive the object.
  AttendTiles(const AttendProblem &problem, const AttendMatrices &matrices, const Target &target,
              llvm::StringRef symbol, mlir::ModuleOp code);
  /// Emits the code of the function, once, and returns the phase, which computes all results. The phase is in all
  /// device images unless the caller changes its `form`.
  KernelPhase emit();

  /// The number of keys of a tile: a power of two from 8 to 64, so that sums fit registers and tiles fit shared memory.
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
