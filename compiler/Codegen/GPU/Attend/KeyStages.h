//===- KeyStages.h - pipeline stages of keys and values, and the products with them (mma.sync) --------------------===//
//
// A stage has a tile of keys and the values of the same keys. All threads of the block copy. Each warp multiplies its
// own rows with all keys of a tile, or with a contiguous part of them: S = Q K^T and O += P V.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendFragments.h"
#include "compiler/Codegen/GPU/Attend/KeyCopy.h"
#include "compiler/Codegen/GPU/Tile/OperandFragment.h"

namespace attnc {

class KeyStages {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  KeyStages(const AttendMatrices &matrices, DeviceFrame &frame, AttendRows &rows, BlockMemory &memory, int64_t keys,
            int64_t stages);

  /// Prepares copies and reads. A warp's part of a tile starts at `firstKey` and at `firstValue`, a multiple of 64
  /// (i32, null for 0).
  void open(AttendSources &sources, Value lane, Value firstKey, Value firstValue);
  /// Issues the copy of a tile to stage number `stage`, and commits the group; keys past the last one are zero-filled,
  /// and nothing is copied if there is no tile.
  void copy(const KeyTile &tile, Value stage);
  /// The warp's S, `fragments` of them; `readQueries` reads its rows of `queries`.
  Values products(FragmentReader &readQueries, Value queries, Value stage, int64_t fragments);
  /// O = O * corrections + P V over the warp's keys. `weights` are fragments of A, one after the other; O has as many
  /// values as there are sums.
  void addValues(Value stage, llvm::ArrayRef<FragmentA> weights, ValueRange corrections, Values &sums);

  const int64_t keys, stages;

private:
  void addSlice(FragmentReader &readQueries, Value queries, Value keys, int64_t vectors, Values &sums);

  const MatrixType type;
  DeviceFrame &frame;
  AttendRows &rows;
  TileBuilder tiles;
  LoopBuilder loops; ///< for indices only
  SharedTile keyTile, valueTile;
  std::optional<KeyCopy> copyKeys, copyValues;
  std::optional<FragmentReader> readKeys, readValues; ///< of 16-bit values
  std::optional<TransposedReader> readTransposed;     ///< of 32-bit values
};

} // namespace attnc
