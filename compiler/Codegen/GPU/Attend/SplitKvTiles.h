//===- SplitKvTiles.h - split-KV partial results by tensor cores --------------------------------------------------===//
//
// The first kernel phase of split-KV (AttendSplitKv.h), if tensor cores apply (AttendMatrices.h). A block computes 16
// rows over one split of their keys, in tiles of 64 keys, with several pipeline stages. The rows are queries of one
// head group, of all its heads, because these read the same keys. Each of the block's four warps has all 16 rows and 16
// keys of a tile, so every key is read once. Finally the block merges the partial results of its warps in order, and
// writes the result to the scratch of the launch. There are three variations:
//
//   many values       with 128 or 256 values (of f32: 128, 192 or 256), a tile has 32 keys, and two warps have the same
//                     keys, with half of the values each
//   32-bit elements   all tiles have half as many keys, 8 for each warp
//   large rows        if two stages do not fit shared memory, a block has fewer warps
//
// The design maximises bytes in flight; docs/gpu.md has tables.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendSplitKv.h"
#include "compiler/Codegen/GPU/Attend/KeyStages.h"

namespace attnc {

/// The code of the phase.
class SplitKvTiles {
public:
  static constexpr int64_t tileRows = productRows; ///< rows of a block: 16

  /// Distribution of a tile over the warps of a block, and number of pipeline stages.
  struct Tiling {
    /// The keys of a tile are cut into keyWarps parts, and its values into valueWarps parts (1 or 2). A block has
    /// keyWarps * valueWarps warps, one for each pair of parts.
    int64_t keyWarps = 1, valueWarps = 1;
    int64_t warpKeys = 1; ///< keys of a warp in a tile: the depth of a product, 16 or 8
    int64_t stages = 2;   ///< 2 to 4

    int64_t keys() const { return keyWarps * warpKeys; }                    ///< keys of a tile
    int64_t threads() const { return keyWarps * valueWarps * warpThreads; } ///< threads of a block
  };
  /// The tiling with most warps, and then most stages, whose tiles fit 80 KB of shared memory.
  static Tiling chooseTiling(const AttendMatrices &matrices);

  /// Whether a thread has enough registers for its sums; otherwise the reason, a sentence about a warp. Required for
  /// the constructor.
  static Verdict suits(const AttendMatrices &matrices);
  /// Creates the function `symbol` in the device's module `code`. `matrices` are those of `problem`
  /// (AttendMatrices::match), and `splitKv` has one split for each block. `problem`, `splitKv` and `target` outlive the
  /// object.
  SplitKvTiles(const AttendProblem &problem, const AttendMatrices &matrices, const AttendSplitKv &splitKv,
               const Target &target, llvm::StringRef symbol, mlir::ModuleOp code);
  /// Emits the code of the function, once, and returns the phase, which writes the partial results of all rows. The
  /// caller multiplies its chunks by `splitKv.areFew`, and appends the phase of AttendMerge.
  KernelPhase emit();

  const Tiling tiling;

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  using States = AttendFragments::States;

  void openBlock();
  States passTiles();
  States computeTile(const KeyTile &tile, Value stage, States states);
  void shareStates(const States &states);
  void storePartials();
  void storeVector(Value number);
  Value correction(Value before, Value largest);
  Value headAt(Value warp, Value row);
  Value valuesAt(Value warp, Value row, Value column);

  NormaliserCode code() { return {loops, target}; }

  const AttendProblem &problem;
  const AttendMatrices matrices;
  const AttendSplitKv &splitKv;
  const Target &target;
  DeviceFrame frame;
  TileBuilder tiles;
  LoopBuilder loops; ///< one lane
  AttendRows rows;
  AttendFragments fragments;
  AttendSources sources;
  BlockMemory memory;
  SharedTile queryTile;
  const int64_t sharedAt; ///< offset of the warps' final exchange, which reuses the memory of tiles
  KeyStages stages;
  PartialResults partials;
  Value firstRow, split;                 ///< index
  Value laneNumber, keyWarp, firstValue; ///< i32: number in the warp; the warp's number along keys, its first value
};

} // namespace attnc
