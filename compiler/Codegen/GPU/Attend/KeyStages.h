//===- KeyStages.h - pipeline stages of keys and values, and the products with them (mma.sync) --------------------===//
//
// The part of attention that AttendTiles and SplitKvTiles share. A pipeline stage has a tile of keys and the values of
// the same keys, in shared memory. All threads of the block copy. Each warp multiplies its own rows (queries) with all
// keys of a tile, or with a contiguous part of them, and the attention weights P with the values: S = Q K^T and O += P
// V. The caller waits for the copies of a stage (awaitCopies) and synchronises the block before it multiplies.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendFragments.h"
#include "compiler/Codegen/GPU/Attend/KeyCopy.h"
#include "compiler/Codegen/GPU/Tile/OperandFragment.h"

namespace attnc {

/// The stages of a block and the code of the executing thread. The arguments of the constructor outlive the object,
/// except `matrices`.
class KeyStages {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  /// Allocates `stages` stages with tiles of `keys` keys in `memory`.
  KeyStages(const AttendMatrices &matrices, DeviceFrame &frame, AttendRows &rows, BlockMemory &memory, int64_t keys,
            int64_t stages);

  /// Emits the addresses of this thread, lane number `lane` (i32) of its warp; called before the functions below. The
  /// warp's part of a tile starts at key number `firstKey` of the tile, a multiple of 8, and at value number
  /// `firstValue` of each row, at a multiple of 128 bytes from the start of the row (both i32; null for 0).
  void open(AttendSources &sources, Value lane, Value firstKey, Value firstValue);
  /// Issues this thread's copies of `tile` to stage number `stage` (i32), and commits them as a group; rows for keys
  /// past the key range become zero. If there is no tile (KeyTile), the group is empty.
  void copy(const KeyTile &tile, Value stage);
  /// S = Q K^T of the warp's 16 rows and its part of the keys in stage number `stage` (i32): `fragments` fragments of 8
  /// keys, an even number for 16-bit elements, as [fragment][element of FragmentD]. `readQueries` reads the warp's rows
  /// as fragments of A, from the stage at offset `queries` (i32, SharedTile::stageOffset) of their tile. The whole warp
  /// executes it.
  Values products(FragmentReader &readQueries, Value queries, Value stage, int64_t fragments);
  /// O = O * corrections + P V over the warp's part of the keys in stage number `stage` (i32). `weights` are P as
  /// fragments of A, in the order of the keys (AttendFragments::leftMatrices). `corrections` are f32, [row], of
  /// AttendFragments::raiseMaxima, or empty for 1. `sums` is O, [fragment][element of FragmentD], for the warp's part
  /// of the values. The whole warp executes it.
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
