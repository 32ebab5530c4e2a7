#include "compiler/Codegen/CPU/AttendGradient/Tiled/TrimmedTiles.h"

using namespace mlir;

namespace attnc {

Value TrimmedTiles::endOf(Value tile) const {
  Value end = loops.loadScalar(ends, {tile});
  return arith::IndexCastOp::create(loops.builder, loops.location, loops.builder.getIndexType(), end);
}

Value TrimmedTiles::firstOf(Value keyTile) const {
  return arith::IndexCastOp::create(loops.builder, loops.location, loops.builder.getIndexType(),
                                    loops.loadScalar(firsts, {keyTile}));
}

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
      loops.storeScalar(asI32(loops.max(zero, loops.min(loops.sub(end, block.firstKey), block.keyCount))), ends,
                        {tile});
  });
  if (!isKnown)
    return false;
  loops.loop(zero, loops.ceilDiv(block.keyCount, step), one, [&](Value keyTile) {
    Value key = loops.mul(keyTile, step);
    Value found = loops.loop(zero, tiles, one, {tiles}, [&](Value tile, ValueRange carried) {
      return LoopBuilder::Values{loops.choose(loops.less(key, endOf(tile)), loops.min(carried[0], tile), carried[0])};
    })[0];
    loops.storeScalar(asI32(found), firsts, {keyTile});
  });
  return true;
}

} // namespace attnc
