#include "compiler/Codegen/GPU/Attend/KeyRings.h"

using namespace mlir;

namespace attnc {

KeyRings::KeyRings(const AttendMatrices &matrices, const Shape &shape, const std::optional<AttendMaps> &maps,
                   DeviceFrame &frame, AttendRows &rows, BlockMemory &memory)
    : queries(makeTile(memory, matrices.type, shape.queries, matrices.features, 1)),
      keys(makeTile(memory, matrices.type, shape.keys, matrices.features, shape.stages)),
      values(makeTile(memory, matrices.type, shape.keys, matrices.values, shape.stages)),
      keyRing(makeRing(memory, shape, maps.has_value())), valueRing(makeRing(memory, shape, maps.has_value())),
      maps(maps), frame(frame), rows(rows), tiles(frame.builder, frame.location),
      loops(frame.builder, frame.location, /*lanes=*/1) {}

SharedTile KeyRings::makeTile(BlockMemory &memory, MatrixType type, int64_t rows, int64_t columns, int64_t stages) {
  return SharedTile(memory, rows, columns * elementBytes(type), stages, panelBytes(type, columns));
}

TileRing KeyRings::makeRing(BlockMemory &memory, const Shape &shape, bool isFetched) {
  return isFetched ? TileRing::forBulkCopies(memory, shape.stages, shape.consumers)
                   : TileRing(memory, shape.stages, /*producers=*/warpGroupThreads, shape.consumers);
}

void KeyRings::open(Value thread) { TileRing::open(tiles, thread, {&keyRing, &valueRing}); }

Value KeyRings::nextTileKey(Value key) { return rows.search(key, keys.rows).first; }

Value KeyRings::exists(Value first) { return loops.less(first, rows.range.end); }

void KeyRings::fill(AttendSources &sources, Value thread, Value firstRow) {
  if (!maps)
    return copyAll(sources, thread, firstRow);
  tiles.when(tiles.less(thread, tiles.constant(warpThreads)), [&] { fetchAll(sources, thread, firstRow); });
}

//===------------------------------------------ TMA copies --------------------------------------------------------===//

/// All lanes of the warp search tiles; the first lane issues copies.
void KeyRings::fetchAll(AttendSources &sources, Value thread, Value firstRow) {
  TensorMaps all = maps->all();
  struct Fetch {
    const SharedTile &tile;
    TensorMap map;
    Values start;
  };
  auto prepare = [&](const SharedTile &tile, const MappedMatrix &matrix, unsigned number) {
    return Fetch{tile, all.acquire(tiles, frame, number), matrix.start(sources, tiles, frame)};
  };
  Fetch fetchQueries = prepare(queries, maps->queries, 0), fetchKeys = prepare(keys, maps->keys, 1),
        fetchValues = prepare(values, maps->values, 2);
  auto begin = [&](const Fetch &by, Value row, Value stage, Value full) {
    Values coordinates = by.start;
    coordinates[MappedMatrix::rowDimension] = tiles.fromIndex(row);
    by.map.copy(tiles, by.tile, by.tile.stageOffset(tiles, stage), coordinates, full);
  };
  auto fetch = [&](const Fetch &by, const TileRing &ring, Value row, const TileRing::Position &position) {
    ring.awaitEmpty(tiles, position);
    ring.expect(tiles, position.stage, by.tile.bytes());
    begin(by, row, position.stage, ring.full(tiles, position.stage));
  };
  Value isFirst = tiles.less(thread, tiles.constant(1));
  TileRing::Position start = keyRing.first(tiles);
  Value first = nextTileKey(rows.range.begin);
  tiles.when(tiles.both(isFirst, exists(first)), [&] {
    keyRing.expect(tiles, start.stage, queries.bytes() + keys.bytes());
    begin(fetchQueries, firstRow, tiles.constant(0), keyRing.full(tiles, start.stage));
    begin(fetchKeys, first, start.stage, keyRing.full(tiles, start.stage));
  });
  auto isLeft = [&](ValueRange carried) { return exists(carried[0]); };
  tiles.loopWhile({first, start.stage, start.parity}, isLeft, [&](ValueRange carried) -> Values {
    TileRing::Position position{carried[1], carried[2]}, following = keyRing.next(tiles, position);
    Value next = nextTileKey(loops.add(carried[0], keys.rows));
    tiles.when(isFirst, [&] {
      tiles.when(exists(next), [&] { fetch(fetchKeys, keyRing, next, following); });
      fetch(fetchValues, valueRing, carried[0], position);
    });
    return {next, following.stage, following.parity};
  });
}

//===------------------------------------------ copies by threads -------------------------------------------------===//

/// Each tile has two groups of copies, of which one is pending while the next starts.
void KeyRings::copyAll(AttendSources &sources, Value thread, Value firstRow) {
  sources.copyQueries(tiles, queries, firstRow, thread, warpGroupThreads);
  KeyCopy copyKeys(tiles, keys, sources.keys(), thread, warpGroupThreads);
  KeyCopy copyValues(tiles, values, sources.values(), thread, warpGroupThreads);
  TileRing::Position start = keyRing.first(tiles);
  Value first = nextTileKey(rows.range.begin), end = rows.range.end;
  tiles.when(exists(first), [&] { copyKeys.issue(first, end, start.stage); });
  commitCopies(tiles);
  // `carried[3]`: the barrier of the pending copy, the first keys or the values of the previous tile.
  Values carried = {first, start.stage, start.parity, keyRing.full(tiles, start.stage)};
  auto isLeft = [&](ValueRange carried) { return exists(carried[0]); };
  Values last = tiles.loopWhile(carried, isLeft, [&](ValueRange carried) -> Values {
    TileRing::Position position{carried[1], carried[2]}, following = keyRing.next(tiles, position);
    Value next = nextTileKey(loops.add(carried[0], keys.rows));
    tiles.when(exists(next), [&] {
      keyRing.awaitEmpty(tiles, following);
      copyKeys.issue(next, end, following.stage);
    });
    commitCopies(tiles);
    awaitCopies(tiles, 1);
    TileRing::markFullAt(tiles, carried[3]);
    valueRing.awaitEmpty(tiles, position);
    copyValues.issue(carried[0], end, position.stage);
    commitCopies(tiles);
    awaitCopies(tiles, 1);
    tiles.when(exists(next), [&] { keyRing.markFull(tiles, following.stage); });
    return {next, following.stage, following.parity, valueRing.full(tiles, position.stage)};
  });
  awaitCopies(tiles, 0); // includes the queries, if there was no tile
  tiles.when(exists(first), [&] { TileRing::markFullAt(tiles, last[3]); });
}

} // namespace attnc
