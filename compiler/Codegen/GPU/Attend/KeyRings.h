//===- KeyRings.h - tiles of queries, keys and values that a warp group fetches for others ------------------------===//
//
// A block's queries are one tile. Its keys and its values are a ring of stages each (TileRing.h): keys are needed, and
// given back, a product before the values of the same tile. They come in the order in which they are multiplied:
//
//   K0   K1 V0   K2 V1   K3 V2   ...                      the queries with K0
//
// The hardware copies them, at the word of one thread, where AttendMaps says where they lie. Else the threads of the
// warp group do, and one of these copies is under way while the next one is begun: a stage is full a copy later.
//
// Who computes the tile at `place`: its values are at `place` of `ofValues`, and the next tile's keys at the place
// behind it of `ofKeys`.
//
//===------------------------------------------------------------------------------------------------------------===//
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
    int64_t queries, keys, stages; ///< of a tile, and of each ring
    int64_t emptiers;              ///< arrivals that give a stage back
  };
  KeyRings(const AttendMatrices &matrices, const Shape &shape, const std::optional<AttendMaps> &maps,
           DeviceFrame &frame, AttendRows &rows, BlockMemory &memory);

  /// All threads of the block.
  void open(Value thread);
  /// The warp group whose first thread is number 0: the queries from `firstRow` (index) on, and all tiles of keys of
  /// which a pair may be kept.
  void fill(AttendSources &sources, Value thread, Value firstRow);

  const SharedTile queries, keys, values;
  const TileRing ofKeys, ofValues;

private:
  static SharedTile tileOf(BlockMemory &memory, MatrixType type, int64_t rows, int64_t columns, int64_t stages);
  static TileRing ringOf(BlockMemory &memory, const Shape &shape, bool isFetched);
  void fetchAll(AttendSources &sources, Value thread, Value firstRow);
  void copyAll(AttendSources &sources, Value thread, Value firstRow);
  Value firstFrom(Value key); ///< of the next tile
  Value exists(Value first);

  const std::optional<AttendMaps> &maps;
  DeviceFrame &frame;
  AttendRows &rows;
  TileBuilder tiles;
  LoopBuilder loops; ///< of indices alone
};

} // namespace attnc
