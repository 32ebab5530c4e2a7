//===- KeyStages.h - keys and values in a block's memory, and products with them ----------------------------------===//
//
// A stage holds a tile of keys and the values of the same keys. All threads of the block copy them, and each warp
// multiplies rows of its own, S = Q K^T and O += P V, with all keys of a tile or with some neighbours of them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendFragments.h"
#include "compiler/Codegen/GPU/Attend/KeyCopy.h"
#include "compiler/Codegen/GPU/Tile/Factor.h"

namespace attnc {

class KeyStages {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  KeyStages(const AttendMatrices &matrices, DeviceFrame &frame, AttendRows &rows, BlockMemory &memory, int64_t keys,
            int64_t stages);

  /// Prepares the copies, and reads for a warp, which has a part of a tile (i32, null for 0): from which key on, and
  /// from which value on, a multiple of 64.
  void open(AttendSources &sources, Value lane, Value firstKey, Value firstValue);
  /// Begins to copy a tile to stage number `stage`, and closes the group; past the last key there are zeros, and of no
  /// tile nothing is copied.
  void copy(const KeyTile &tile, Value stage);
  /// The warp's S, `squares` of it: `readQueries` reads its rows of `queries`.
  Values products(FragmentReader &readQueries, Value queries, Value stage, int64_t squares);
  /// O = O * corrections + P V over the warp's keys, whose weights are left matrices one after the other, and as many
  /// values as there are sums.
  void addValues(Value stage, llvm::ArrayRef<FragmentA> weights, ValueRange corrections, Values &sums);

  const int64_t keys, stages;

private:
  void addPart(FragmentReader &readQueries, Value queries, Value keys, int64_t units, Values &sums);

  const MatrixType type;
  DeviceFrame &frame;
  AttendRows &rows;
  TileBuilder tiles;
  LoopBuilder loops; ///< of indices alone
  SharedTile keyTile, valueTile;
  std::optional<KeyCopy> copyKeys, copyValues;
  std::optional<FragmentReader> readKeys, readValues; ///< values of 16 bits
  std::optional<TurnedWords> readWords;               ///< values that are words
};

} // namespace attnc
