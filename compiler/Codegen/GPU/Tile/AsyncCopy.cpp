#include "compiler/Codegen/GPU/Tile/AsyncCopy.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

/// Whether a thread stays in one row, if threads go down the rows first: its units are then constant distances apart,
/// in the tile too. Along rows they are so where a row is a power of two, and threads next to each other read more of
/// one row.
static bool goesDownRows(const SharedTile &tile, int64_t threads) {
  constexpr int64_t mostSwizzled = 8;
  return !llvm::isPowerOf2_64(tile.rowUnits()) && threads % (tile.rows * mostSwizzled) == 0 && tile.panels() == 1;
}

TileCopy::TileCopy(TileBuilder &tiles, const SharedTile &tile, TileSource source, Value thread, int64_t threads)
    : tiles(tiles), tile(tile) {
  OpBuilder &b = tiles.builder;
  int64_t count = tile.rows * tile.rowUnits();
  bool isDown = goesDownRows(tile, threads);
  Value pointer = globalPointer(tiles, source.pointer);
  for (int64_t first = 0; first < count; first += threads) {
    if (count - first < threads)
      isMine = tiles.less(tiles.add(thread, first), tiles.number(count));
    // Where threads go down, the first units are those of all rounds but for a distance.
    Value number = isDown ? thread : tiles.add(thread, first);
    int64_t further = isDown ? first / tile.rows * unitBytes : 0;
    Value row = isDown ? tiles.rem(number, tile.rows) : tiles.div(number, tile.rowUnits());
    Value unit = isDown ? tiles.div(number, tile.rows) : tiles.rem(number, tile.rowUnits());
    Value column = tiles.add(tiles.mul(unit, unitBytes), further);
    Value wideColumn = tiles.widen(column);
    Value offset = b.createOrFold<arith::AddIOp>(tiles.location, source.rowOffset(row), wideColumn);
    units.push_back({row, column, tiles.add(tile.place(tiles, row, unit), further), tiles.at(pointer, offset)});
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
