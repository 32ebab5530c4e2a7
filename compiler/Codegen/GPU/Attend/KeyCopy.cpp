#include "compiler/Codegen/GPU/Attend/KeyCopy.h"

using namespace mlir;

namespace attnc {

static TileCopy copyOf(TileBuilder &tiles, const SharedTile &tile, const AttendSources::KeyRows &lines, Value thread,
                       int64_t threads) {
  auto offset = [&](Value row) {
    Value distance = tiles.builder.createOrFold<arith::MulIOp>(tiles.location, tiles.widen(row), lines.stride);
    return tiles.builder.createOrFold<arith::AddIOp>(tiles.location, lines.first, distance);
  };
  return TileCopy(tiles, tile, {lines.pointer, offset}, thread, threads);
}

KeyCopy::KeyCopy(TileBuilder &tiles, const SharedTile &tile, const AttendSources::KeyRows &lines, Value thread,
                 int64_t threads)
    : tiles(tiles), loops(tiles.builder, tiles.location, /*lanes=*/1), tile(tile), stride(lines.stride),
      copy(copyOf(tiles, tile, lines, thread, threads)) {}

void KeyCopy::issue(Value first, Value end, Value stage) {
  OpBuilder &b = tiles.builder;
  Value count = loops.min(loops.constant(tile.rows), loops.sub(end, first));
  Value number = b.createOrFold<arith::IndexCastOp>(tiles.location, b.getI64Type(), first);
  copy.issue(tile.stageOffset(tiles, stage), b.createOrFold<arith::MulIOp>(tiles.location, number, stride),
             tiles.fromIndex(count), nullptr);
}

} // namespace attnc
