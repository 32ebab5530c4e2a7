//===- KeyRings.h - ring buffers of keys and values, filled by a producer warp group ------------------------------===//
//
// The shared memory of AttendWarpGroups. The queries of a block are one tile. Keys and values have a ring buffer each
// (TileRing.h), because the keys of a tile are needed, and released, one product before its values. With K0, V0 the
// keys and values of the first tile, the producer copies in the order of the products:
//
//   K0   K1 V0   K2 V1   K3 V2   ...                      the queries together with K0
//
// If there are tensor maps (AttendMaps), one elected thread issues TMA copies. Otherwise all threads of the producer
// warp group copy (KeyCopy). Then one copy is pending while the next one starts, so a stage is marked full one copy
// later.
//
// Tiles without unmasked pairs are skipped (AttendRows::search). The n-th visited tile is at the n-th position of both
// rings: a consumer that computes the tile at `position` finds its values at `position` of `valueRing`, and the keys of
// the next tile at the following position of `keyRing`.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendMaps.h"
#include "compiler/Codegen/GPU/Attend/KeyCopy.h"
#include "compiler/Codegen/GPU/Tile/TileRing.h"
#include "compiler/Codegen/GPU/Tile/WarpGroup.h"

namespace attnc {

/// The tiles and rings of a block, and the producer's code. The arguments of the constructor outlive the object.
class KeyRings {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  struct Shape {
    int64_t queries, keys, stages; ///< queries and keys of a tile, stages (at least 2) of each ring buffer
    int64_t consumers;             ///< arrivals that release a stage (TileRing::markEmpty): one for each consumer warp
  };
  /// Allocates tiles and barriers in `memory`. `maps` is null if threads copy; otherwise an earlier phase has written
  /// the maps of AttendMaps::all() (TensorMaps::emit).
  KeyRings(const AttendMatrices &matrices, const Shape &shape, const std::optional<AttendMaps> &maps,
           DeviceFrame &frame, AttendRows &rows, BlockMemory &memory);

  /// Emits the initialisation of the barriers, which all threads of the block execute before other uses. `thread` (i32)
  /// is the number of the thread in the block.
  void open(Value thread);
  /// Emits the producer's code, which the block's first warp group executes. It copies, by the addresses of `sources`,
  /// the queries from row number `firstRow` (index) on, and keys and values of all tiles with possibly unmasked pairs.
  /// `thread` is as in open(). The rows are open in `rows` (AttendRows::open). If there is no such tile, no stage
  /// becomes full, and consumers must not read the queries; otherwise the queries have arrived when stage 0 of
  /// `keyRing` is full for the first time.
  void fill(AttendSources &sources, Value thread, Value firstRow);

  const SharedTile queries, keys, values; ///< a row is a query or a key
  const TileRing keyRing, valueRing;      ///< the stages of `keys` and of `values`

private:
  static SharedTile makeTile(BlockMemory &memory, MatrixType type, int64_t rows, int64_t columns, int64_t stages);
  static TileRing makeRing(BlockMemory &memory, const Shape &shape, bool isFetched);
  void fetchAll(AttendSources &sources, Value thread, Value firstRow);
  void copyAll(AttendSources &sources, Value thread, Value firstRow);
  Value nextTileKey(Value key); ///< first key of the next tile
  Value exists(Value first);

  const std::optional<AttendMaps> &maps;
  DeviceFrame &frame;
  AttendRows &rows;
  TileBuilder tiles;
  LoopBuilder loops; ///< for indices only
};

} // namespace attnc
