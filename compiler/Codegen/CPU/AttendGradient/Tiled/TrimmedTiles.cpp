#include "compiler/Codegen/CPU/AttendGradient/Tiled/TrimmedTiles.h"

using namespace mlir;

namespace attnc {

static Value read(FlatBuilder &code, Value table, Value number) {
  return arith::IndexCastOp::create(code.builder, code.location, code.builder.getIndexType(),
                                    code.loadScalar(table, {number}));
}

Value TrimTables::endOf(FlatBuilder &code, Value rowTile) const { return read(code, ends, rowTile); }

Value TrimTables::firstOf(FlatBuilder &code, Value keyTile) const { return read(code, firsts, keyTile); }

bool TrimmedTiles::find(const PairBlock &block, const AttendMask &mask) {
  bool isKnown = problem.attend.hasMask();
  Value zero = loops.constant(0), one = loops.constant(1), four = loops.constant(step);
  Value tiles = loops.ceilDiv(block.rowCount, step);
  auto asI32 = [&](Value index) -> Value {
    return arith::IndexCastOp::create(loops.builder, loops.location, loops.builder.getI32Type(), index);
  };
  loops.loop(zero, isKnown ? tiles : zero, one, [&](Value tile) {
    Value first = loops.mul(tile, step), count = loops.min(four, loops.sub(block.rowCount, first));
    auto bindRow = [&](Value row) { return phase.bindRow(row); };
    AttendMask::RowRange rows = {loops.add(block.firstRow, first), count, bindRow, /*inOrder=*/true};
    Value end = mask.keyEnd(loops, rows, phase.keys, *phase.batch);
    isKnown = isKnown && end;
    if (end)
      loops.storeScalar(asI32(loops.max(zero, loops.min(loops.sub(end, block.firstKey), block.keyCount))), tables.ends,
                        {tile});
  });
  if (!isKnown)
    return false;
  loops.loop(zero, loops.ceilDiv(block.keyCount, step), one, [&](Value keyTile) {
    Value key = loops.mul(keyTile, step);
    Value found = loops.loop(zero, tiles, one, {tiles}, [&](Value tile, ValueRange carried) {
      return LoopBuilder::Values{
          loops.choose(loops.less(key, tables.endOf(loops, tile)), loops.min(carried[0], tile), carried[0])};
    })[0];
    loops.storeScalar(asI32(found), tables.firsts, {keyTile});
  });
  return true;
}

} // namespace attnc
