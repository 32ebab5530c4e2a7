#include "compiler/Codegen/GPU/Attend/KeyRings.h"

using namespace mlir;

namespace attnc {

KeyRings::KeyRings(const AttendMatrices &matrices, const Shape &shape, const std::optional<AttendMaps> &maps,
                   DeviceFrame &frame, AttendRows &rows, BlockMemory &memory)
    : queries(tileOf(memory, matrices.type, shape.queries, matrices.features, 1)),
      keys(tileOf(memory, matrices.type, shape.keys, matrices.features, shape.stages)),
      values(tileOf(memory, matrices.type, shape.keys, matrices.values, shape.stages)),
      ofKeys(ringOf(memory, shape, maps.has_value())), ofValues(ringOf(memory, shape, maps.has_value())), maps(maps),
      frame(frame), rows(rows), tiles(frame.builder, frame.location),
      loops(frame.builder, frame.location, /*lanes=*/1) {}

SharedTile KeyRings::tileOf(BlockMemory &memory, MatrixType type, int64_t rows, int64_t columns, int64_t stages) {
  return SharedTile(memory, rows, columns * elementBytes(type), stages, panelBytesOf(type, columns));
}

TileRing KeyRings::ringOf(BlockMemory &memory, const Shape &shape, bool isFetched) {
  return isFetched ? TileRing::ofCountedBytes(memory, shape.stages, shape.emptiers)
                   : TileRing(memory, shape.stages, /*fillers=*/warpGroupThreads, shape.emptiers);
}

void KeyRings::open(Value thread) { TileRing::open(tiles, thread, {&ofKeys, &ofValues}); }

Value KeyRings::firstFrom(Value key) { return rows.search(key, keys.rows).first; }

Value KeyRings::exists(Value first) { return loops.less(first, rows.range.end); }

void KeyRings::fill(AttendSources &sources, Value thread, Value firstRow) {
  if (!maps)
    return copyAll(sources, thread, firstRow);
  tiles.when(tiles.less(thread, tiles.number(warpThreads)), [&] { fetchAll(sources, thread, firstRow); });
}

//===------------------------------------------ by the hardware ---------------------------------------------------===//

/// All lanes of the warp look for tiles, and the first one asks for them.
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
  Fetch ofQueries = prepare(queries, maps->queries, 0), fetchKeys = prepare(keys, maps->keys, 1),
        fetchValues = prepare(values, maps->values, 2);
  auto begin = [&](const Fetch &by, Value row, Value stage, Value full) {
    Values coordinates = by.start;
    coordinates[MappedMatrix::rowDimension] = tiles.fromIndex(row);
    by.map.copy(tiles, by.tile, by.tile.stage(tiles, stage), coordinates, full);
  };
  auto fetch = [&](const Fetch &by, const TileRing &ring, Value row, const TileRing::Place &place) {
    ring.awaitEmpty(tiles, place);
    ring.expect(tiles, place.stage, by.tile.bytes());
    begin(by, row, place.stage, ring.full(tiles, place.stage));
  };
  Value isFirst = tiles.less(thread, tiles.number(1));
  TileRing::Place start = ofKeys.first(tiles);
  Value first = firstFrom(rows.range.begin);
  tiles.when(tiles.both(isFirst, exists(first)), [&] {
    ofKeys.expect(tiles, start.stage, queries.bytes() + keys.bytes());
    begin(ofQueries, firstRow, tiles.number(0), ofKeys.full(tiles, start.stage));
    begin(fetchKeys, first, start.stage, ofKeys.full(tiles, start.stage));
  });
  auto isLeft = [&](ValueRange carried) { return exists(carried[0]); };
  tiles.loopWhile({first, start.stage, start.parity}, isLeft, [&](ValueRange carried) -> Values {
    TileRing::Place place{carried[1], carried[2]}, following = ofKeys.next(tiles, place);
    Value next = firstFrom(loops.add(carried[0], keys.rows));
    tiles.when(isFirst, [&] {
      tiles.when(exists(next), [&] { fetch(fetchKeys, ofKeys, next, following); });
      fetch(fetchValues, ofValues, carried[0], place);
    });
    return {next, following.stage, following.parity};
  });
}

//===------------------------------------------ by threads --------------------------------------------------------===//

/// Of each tile two groups of copies, of which one is open while the next is begun.
void KeyRings::copyAll(AttendSources &sources, Value thread, Value firstRow) {
  sources.copyQueries(tiles, queries, firstRow, thread, warpGroupThreads);
  KeyCopy copyKeys(tiles, keys, sources.keys(), thread, warpGroupThreads);
  KeyCopy copyValues(tiles, values, sources.values(), thread, warpGroupThreads);
  TileRing::Place start = ofKeys.first(tiles);
  Value first = firstFrom(rows.range.begin), end = rows.range.end;
  tiles.when(exists(first), [&] { copyKeys.issue(first, end, start.stage); });
  closeCopies(tiles);
  // What is open when a turn begins: the first keys, or the values of the tile before.
  Values carried = {first, start.stage, start.parity, ofKeys.full(tiles, start.stage)};
  auto isLeft = [&](ValueRange carried) { return exists(carried[0]); };
  Values last = tiles.loopWhile(carried, isLeft, [&](ValueRange carried) -> Values {
    TileRing::Place place{carried[1], carried[2]}, following = ofKeys.next(tiles, place);
    Value next = firstFrom(loops.add(carried[0], keys.rows));
    tiles.when(exists(next), [&] {
      ofKeys.awaitEmpty(tiles, following);
      copyKeys.issue(next, end, following.stage);
    });
    closeCopies(tiles);
    awaitCopies(tiles, 1);
    TileRing::markFullAt(tiles, carried[3]);
    ofValues.awaitEmpty(tiles, place);
    copyValues.issue(carried[0], end, place.stage);
    closeCopies(tiles);
    awaitCopies(tiles, 1);
    tiles.when(exists(next), [&] { ofKeys.markFull(tiles, following.stage); });
    return {next, following.stage, following.parity, ofValues.full(tiles, place.stage)};
  });
  awaitCopies(tiles, 0); // the queries too, where there was no tile
  tiles.when(exists(first), [&] { TileRing::markFullAt(tiles, last[3]); });
}

} // namespace attnc
