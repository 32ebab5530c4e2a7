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

  /// Allocates tiles of `keys` keys in `memory`.
  KeyStages(const AttendMatrices &matrices, DeviceFrame &frame, AttendRows &rows, BlockMemory &memory, int64_t keys,
            int64_t stages);

  /// Prepares copies and reads by this thread, lane number `lane` (i32) of its warp. The warp's part of a tile starts
  /// at `firstKey`, a multiple of 8, and at `firstValue`, a multiple of 128 bytes of values (i32, null for 0).
  void open(AttendSources &sources, Value lane, Value firstKey, Value firstValue);
  /// Issues the copy of a tile to stage number `stage` (i32), and commits the group; keys past the key range are
  /// zero-filled, and the group is empty if there is no tile.
  void copy(const KeyTile &tile, Value stage);
  /// S = Q K^T of the warp's rows and keys: `fragments` fragments of 8 keys, as [fragment][element of FragmentD].
  /// `readQueries` reads the warp's rows from the stage at offset `queries` of their tile (SharedTile::stageOffset).
  Values products(FragmentReader &readQueries, Value queries, Value stage, int64_t fragments);
  /// O = O * corrections + P V over the warp's keys. `weights` are P as fragments of A, in the order of the keys;
  /// `corrections` are [row] (AttendFragments::raiseMaxima) or empty; `sums` is O, [fragment][element of FragmentD], of
  /// the warp's values.
  void addValues(Value stage, llvm::ArrayRef<FragmentA> weights, ValueRange corrections, Values &sums);

  const int64_t keys, stages; ///< keys of a tile; pipeline stages

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
