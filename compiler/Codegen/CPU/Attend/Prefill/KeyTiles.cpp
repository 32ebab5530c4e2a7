#include "compiler/Codegen/CPU/Attend/Prefill/KeyTiles.h"

using namespace mlir;

namespace attnc {

/// Keys of a register tile where there are too few for a whole one.
static constexpr int64_t fewKeys = 4;

static void forEachWholeTile(LoopBuilder &loops, ValueRange liveEnds, int64_t rows,
                             function_ref<void(const KeyTileShape &)> body) {
  Value zero = loops.constant(0), begin = zero;
  for (auto [vector, end] : llvm::enumerate(liveEnds)) {
    Value last = loops.max(zero, loops.add(end, -rows));
    loops.loop(begin, end, loops.constant(rows), [&, vector = vector](Value row) {
      body({loops.min(row, last), rows, int64_t(vector)});
    });
    begin = end;
  }
}

void forEachKeyTile(LoopBuilder &loops, Value count, ValueRange liveEnds, int64_t most,
                    function_ref<void(const KeyTileShape &)> body) {
  auto wholeTiles = [&](int64_t rows) {
    return [&, rows] {
      forEachWholeTile(loops, liveEnds, rows, body);
      return LoopBuilder::Values();
    };
  };
  auto singleKeys = [&] {
    loops.loop(loops.constant(0), count, loops.constant(1), [&](Value row) { body({row, 1, 0}); });
    return LoopBuilder::Values();
  };
  auto areBelow = [&](int64_t rows) { return loops.less(count, loops.constant(rows)); };
  auto shortTiles = [&] {
    if (most < 2 * fewKeys)
      return singleKeys();
    return loops.select(areBelow(fewKeys), {}, singleKeys, wholeTiles(fewKeys));
  };
  loops.select(areBelow(most), {}, shortTiles, wholeTiles(most));
}

void forShareOfTile(LoopBuilder &loops, const KeyTileShape &tile, Value count, Value total,
                    function_ref<void(Value)> body) {
  Value share = loops.ceilDiv(total, loops.ceilDiv(count, tile.rows));
  Value first = loops.mul(loops.ceilDiv(tile.row, tile.rows), share), end = loops.min(total, loops.add(first, share));
  loops.loop(first, end, loops.constant(1), body);
}

void storeScores(const TileAccess &access, LoopBuilder &loops, const KeyTileShape &tile, ValueRange values,
                 Value scores, Value maxima) {
  int64_t vectors = int64_t(values.size()) / tile.rows;
  for (int64_t live = 0; live < vectors; ++live) {
    int64_t vector = tile.firstVector + live;
    Value largest = maxima ? access.load(maxima, vector) : Value();
    for (int64_t i = 0; i < tile.rows; ++i) {
      Value value = values[i * vectors + live];
      access.store(value, scores, vector, tile.row, i);
      if (largest)
        largest = loops.maxKeepingFirst(largest, value);
    }
    if (largest)
      access.store(largest, maxima, vector);
  }
}

} // namespace attnc
