//===- KeyRings.h - ring buffers of keys and values, filled by a producer warp group ------------------------------===//
//
// The queries of a block are one tile. Keys and values have a ring buffer each (TileRing.h), because a tile's keys are
// needed, and released, one product before its values. The producer copies in the order of the products:
//
//   K0   K1 V0   K2 V1   K3 V2   ...                      the queries together with K0
//
// If AttendMaps matches, one elected thread issues TMA copies. Otherwise all threads of the warp group copy, with one
// copy pending while the next one starts: a stage is full one copy later.
//
// A consumer that computes the tile at `position` finds its values at `position` of `valueRing`, and the next tile's
// keys at the following position of `keyRing`.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendMaps.h"
#include "compiler/Codegen/GPU/Attend/KeyCopy.h"
#include "compiler/Codegen/GPU/Tile/TileRing.h"
#include "compiler/Codegen/GPU/Tile/WarpGroup.h"

namespace attnc {

class KeyRings {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  struct Shape {
    int64_t queries, keys, stages; ///< queries and keys of a tile, stages of each ring buffer
    int64_t consumers;             ///< arrivals that release a stage: one for each consumer warp
  };
  /// Allocates tiles and barriers in `memory`. `maps` is null if threads copy.
  KeyRings(const AttendMatrices &matrices, const Shape &shape, const std::optional<AttendMaps> &maps,
           DeviceFrame &frame, AttendRows &rows, BlockMemory &memory);

  /// Emits the initialisation of the barriers, which all threads of the block execute. `thread` (i32) is the number of
  /// the thread in the block.
  void open(Value thread);
  /// Emits the producer's code, which the block's first warp group executes: it copies the queries from `firstRow`
  /// (index) on, and keys and values of all tiles with possibly unmasked pairs. If there is no such tile, consumers
  /// must not read the queries.
  void fill(AttendSources &sources, Value thread, Value firstRow);

  const SharedTile queries, keys, values; ///< a row is a query or a key
  const TileRing keyRing, valueRing;

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
