//===- SplitKvTiles.h - split-KV partial results by tensor cores --------------------------------------------------===//
//
// A block computes 16 rows (the queries of all heads of a group) over one split of their keys (AttendSplitKv.h), in
// tiles of 64 keys and several pipeline stages. Each of its four warps has all rows and 16 keys of a tile, so every key
// is read once; finally the partial results of the warps are merged in order. With 128 or 256 values (of f32, 192 too)
// a tile has 32 keys, and two warps share the same keys with half of the values each. With 32-bit elements all tiles
// have half as many keys. If two such tiles do not fit, a block has fewer warps. The design maximises bytes in flight;
// docs/gpu.md has tables.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendSplitKv.h"
#include "compiler/Codegen/GPU/Attend/KeyStages.h"

namespace attnc {

class SplitKvTiles {
public:
  static constexpr int64_t tileRows = productRows;

  /// Distribution of a tile over the warps of a block, and number of pipeline stages.
  struct Tiling {
    int64_t keyWarps = 1, valueWarps = 1; ///< warps with the same values; warps with the same keys
    int64_t warpKeys = 1;                 ///< keys of a warp in a tile: the depth of a product, 16 or 8
    int64_t stages = 2;

    int64_t keys() const { return keyWarps * warpKeys; } ///< of a tile
    int64_t threads() const { return keyWarps * valueWarps * warpThreads; }
  };
  static Tiling chooseTiling(const AttendMatrices &matrices);

  /// Whether a warp has enough registers; the reason completes "no tensor cores: ".
  static Verdict suits(const AttendMatrices &matrices);
  /// Creates the function `symbol` in `code`.
  SplitKvTiles(const AttendProblem &problem, const AttendMatrices &matrices, const AttendSplitKv &splitKv,
               const Target &target, llvm::StringRef symbol, mlir::ModuleOp code);
  /// Emits the code of the kernel phase, which writes the partial results.
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
