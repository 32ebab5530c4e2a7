#include "compiler/Codegen/GPU/Tile/AsyncCopy.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

/// How many threads have each row, if a thread stays in one: they read whole lines of memory, and what it copies is at
/// constant distances, in the tile too. 0 where rows are too many for that.
static int64_t threadsOfRow(const SharedTile &tile, int64_t threads) {
  constexpr int64_t lineUnits = 128 / unitBytes; // a multiple of as many units as change places
  return threads % (tile.rows * lineUnits) == 0 && tile.panels() == 1 ? threads / tile.rows : 0;
}

TileCopy::TileCopy(TileBuilder &tiles, const SharedTile &tile, TileSource source, Value thread, int64_t threads)
    : tiles(tiles), tile(tile) {
  if (int64_t ofRow = threadsOfRow(tile, threads))
    stayInRow(source, thread, ofRow);
  else
    goRowByRow(source, thread, threads);
}

TileCopy::Unit TileCopy::unitAt(TileSource source, Value row, Value unit) {
  Value column = tiles.mul(unit, unitBytes);
  Value offset = tiles.builder.createOrFold<arith::AddIOp>(tiles.location, source.rowOffset(row), tiles.widen(column));
  return {row, column, tile.place(tiles, row, unit), tiles.at(globalPointer(tiles, source.pointer), offset)};
}

void TileCopy::stayInRow(TileSource source, Value thread, int64_t threadsOfRow) {
  Value row = tiles.div(thread, threadsOfRow), unit = tiles.rem(thread, threadsOfRow);
  Unit first = unitAt(source, row, unit);
  for (int64_t further = 0; further < tile.rowUnits(); further += threadsOfRow) {
    Value distance = tiles.number(further * unitBytes);
    units.push_back(
        {row, tiles.add(first.column, distance), tiles.add(first.place, distance), tiles.at(first.source, distance)});
  }
  if (int64_t left = tile.rowUnits() % threadsOfRow)
    isMine = tiles.less(unit, tiles.number(left));
}

void TileCopy::goRowByRow(TileSource source, Value thread, int64_t threads) {
  int64_t count = tile.rows * tile.rowUnits();
  for (int64_t first = 0; first < count; first += threads) {
    Value number = tiles.add(thread, first);
    if (count - first < threads)
      isMine = tiles.less(number, tiles.number(count));
    units.push_back(unitAt(source, tiles.div(number, tile.rowUnits()), tiles.rem(number, tile.rowUnits())));
  }
}

void TileCopy::forEachUnit(function_ref<void(const Unit &)> body) {
  for (const Unit &unit : units)
    if (isMine && &unit == &units.back())
      tiles.when(isMine, [&] { body(unit); });
    else
      body(unit);
}

void TileCopy::issue(Value stage, Value advance, Value rows, Value rowBytes) {
  Value zero = tiles.number(0), whole = tiles.number(unitBytes);
  forEachUnit([&](const Unit &unit) {
    Value wanted = whole;
    if (rowBytes)
      wanted = tiles.max(zero, tiles.min(tiles.sub(rowBytes, unit.column), whole));
    if (rows)
      wanted = tiles.select(tiles.less(unit.row, rows), wanted, zero);
    Value target = tiles.at(tile.base, tiles.add(stage, unit.place));
    copyAsync(tiles, target, tiles.at(unit.source, advance), unitBytes, wanted);
  });
}

void TileCopy::changeWords(Value stage, function_ref<Value(Value)> change) {
  OpBuilder &b = tiles.builder;
  constexpr int64_t words = unitBytes / 4;
  Type type = VectorType::get({words}, b.getI32Type());
  forEachUnit([&](const Unit &unit) {
    Value place = tiles.at(tile.base, tiles.add(stage, unit.place));
    Value before = LLVM::LoadOp::create(b, tiles.location, type, place, unitBytes);
    TileBuilder::Values after;
    for (int64_t each = 0; each < words; ++each)
      after.push_back(change(vector::ExtractOp::create(b, tiles.location, before, ArrayRef{each})));
    LLVM::StoreOp::create(b, tiles.location, vector::FromElementsOp::create(b, tiles.location, type, after), place,
                          unitBytes);
  });
}

void copyAsync(TileBuilder &tiles, Value target, Value source, int64_t size, Value wanted) {
  auto cache = size == unitBytes ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(tiles.builder, tiles.location, target, source, size, cache, wanted);
}

Value globalPointer(TileBuilder &tiles, Value pointer) {
  auto type = LLVM::LLVMPointerType::get(tiles.builder.getContext(), globalSpace);
  return LLVM::AddrSpaceCastOp::create(tiles.builder, tiles.location, type, pointer);
}

void closeCopies(TileBuilder &tiles) { NVVM::CpAsyncCommitGroupOp::create(tiles.builder, tiles.location); }

void awaitCopies(TileBuilder &tiles, int64_t open) {
  NVVM::CpAsyncWaitGroupOp::create(tiles.builder, tiles.location, open);
}

} // namespace attnc
