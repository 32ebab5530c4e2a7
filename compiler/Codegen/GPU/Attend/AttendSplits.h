//===- AttendSplits.h - parts of rows by tensor cores -------------------------------------------------------------===//
//
// A block has 16 rows (queries of all heads of a group) and one split of their keys (AttendParts.h), in tiles of 64 in
// several stages; each of its four warps has all rows with 16 keys of a tile, so that every key is read once, and at
// the end what the warps have is added in their order. Of 128 or 256 values a tile has 32 keys, and two warps half of
// the values each. Of words all of them have half as many keys. Where two such tiles have no room, a block has fewer
// warps. What it is about is bytes under way: docs/gpu.md has tables.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendParts.h"
#include "compiler/Codegen/GPU/Attend/KeyStages.h"

namespace attnc {

class AttendSplits {
public:
  static constexpr int64_t tileRows = productRows;

  /// What warps of a block have of a tile, and how many tiles there are.
  struct Tiling {
    int64_t keyWarps = 1, valueWarps = 1; ///< that have the same values, or keys
    int64_t keysOfWarp = 1;               ///< as many as a product is deep
    int64_t stages = 2;

    int64_t keys() const { return keyWarps * keysOfWarp; }
    int64_t threads() const { return keyWarps * valueWarps * warpThreads; }
  };
  static Tiling tilingOf(const AttendMatrices &matrices);

  /// Whether a warp has registers for them; the reason completes "no tensor cores: ".
  static Verdict suits(const AttendMatrices &matrices);
  AttendSplits(const AttendProblem &problem, const AttendMatrices &matrices, const AttendParts &parts,
               const Target &target, llvm::StringRef symbol, mlir::ModuleOp code);
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
  void storeParts();
  void storeUnit(Value number);
  Value correctionOf(Value before, Value largest);
  Value headAt(Value warp, Value row);
  Value valuesAt(Value warp, Value row, Value column);

  NormaliserCode code() { return {loops, target}; }

  const AttendProblem &problem;
  const AttendMatrices matrices;
  const AttendParts &parts;
  const Target &target;
  DeviceFrame frame;
  TileBuilder tiles;
  LoopBuilder loops; ///< of one lane
  AttendRows rows;
  AttendFragments fragments;
  AttendSources sources;
  BlockMemory memory;
  SharedTile queryTile;
  const int64_t sharedAt; ///< what the warps share at the end lies where tiles were
  KeyStages stages;
  PartMemory partMemory;
  Value firstRow, split;                 ///< index
  Value laneNumber, keyWarp, firstValue; ///< i32; of this warp
};

} // namespace attnc
