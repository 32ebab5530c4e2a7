#include "compiler/Codegen/GPU/Tile/AsyncCopy.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

/// Number of threads for each row, if a thread stays in one row: it then copies from and to addresses at a constant
/// stride, and eight threads read a whole line of memory. 0 if there are too few threads for that.
static int64_t threadsOfRow(const SharedTile &tile, int64_t threads) {
  constexpr int64_t lineVectors = 128 / vectorBytes; // a multiple of every swizzle period
  return threads % (tile.rows * lineVectors) == 0 && tile.panels() == 1 ? threads / tile.rows : 0;
}

TileCopy::TileCopy(TileBuilder &tiles, const SharedTile &tile, TileSource source, Value thread, int64_t threads)
    : tiles(tiles), tile(tile) {
  if (int64_t rowThreads = threadsOfRow(tile, threads))
    assignWithinRow(source, thread, rowThreads);
  else
    assignRowByRow(source, thread, threads);
}

TileCopy::CopiedVector TileCopy::vectorAt(TileSource source, Value row, Value vector) {
  Value column = tiles.mul(vector, vectorBytes);
  Value offset = tiles.builder.createOrFold<arith::AddIOp>(tiles.location, source.rowOffset(row), tiles.widen(column));
  return {row, column, tile.vectorOffset(tiles, row, vector), tiles.at(globalPointer(tiles, source.pointer), offset)};
}

void TileCopy::assignWithinRow(TileSource source, Value thread, int64_t threadsOfRow) {
  Value row = tiles.div(thread, threadsOfRow), vector = tiles.rem(thread, threadsOfRow);
  CopiedVector first = vectorAt(source, row, vector);
  for (int64_t further = 0; further < tile.rowVectors(); further += threadsOfRow) {
    Value distance = tiles.constant(further * vectorBytes);
    vectors.push_back(
        {row, tiles.add(first.column, distance), tiles.add(first.offset, distance), tiles.at(first.source, distance)});
  }
  if (int64_t left = tile.rowVectors() % threadsOfRow)
    isMine = tiles.less(vector, tiles.constant(left));
}

void TileCopy::assignRowByRow(TileSource source, Value thread, int64_t threads) {
  int64_t count = tile.rows * tile.rowVectors();
  for (int64_t first = 0; first < count; first += threads) {
    Value number = tiles.add(thread, first);
    if (count - first < threads)
      isMine = tiles.less(number, tiles.constant(count));
    vectors.push_back(vectorAt(source, tiles.div(number, tile.rowVectors()), tiles.rem(number, tile.rowVectors())));
  }
}

void TileCopy::forEachVector(function_ref<void(const CopiedVector &)> body) {
  for (const CopiedVector &vector : vectors)
    if (isMine && &vector == &vectors.back())
      tiles.when(isMine, [&] { body(vector); });
    else
      body(vector);
}

void TileCopy::issue(Value stage, Value advance, Value rows, Value rowBytes) {
  Value zero = tiles.constant(0), whole = tiles.constant(vectorBytes);
  forEachVector([&](const CopiedVector &vector) {
    Value wanted = whole;
    if (rowBytes)
      wanted = tiles.max(zero, tiles.min(tiles.sub(rowBytes, vector.column), whole));
    if (rows)
      wanted = tiles.choose(tiles.less(vector.row, rows), wanted, zero);
    Value target = tiles.at(tile.base, tiles.add(stage, vector.offset));
    copyAsync(tiles, target, tiles.at(vector.source, advance), vectorBytes, wanted);
  });
}

void TileCopy::changeElements(Value stage, function_ref<Value(Value)> change) {
  OpBuilder &b = tiles.builder;
  constexpr int64_t elements = vectorBytes / 4;
  Type type = VectorType::get({elements}, b.getI32Type());
  forEachVector([&](const CopiedVector &vector) {
    Value offset = tiles.at(tile.base, tiles.add(stage, vector.offset));
    Value before = LLVM::LoadOp::create(b, tiles.location, type, offset, vectorBytes);
    TileBuilder::Values after;
    for (int64_t each = 0; each < elements; ++each)
      after.push_back(change(vector::ExtractOp::create(b, tiles.location, before, ArrayRef{each})));
    LLVM::StoreOp::create(b, tiles.location, vector::FromElementsOp::create(b, tiles.location, type, after), offset,
                          vectorBytes);
  });
}

void copyAsync(TileBuilder &tiles, Value target, Value source, int64_t size, Value wanted) {
  auto cache = size == vectorBytes ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(tiles.builder, tiles.location, target, source, size, cache, wanted);
}

Value globalPointer(TileBuilder &tiles, Value pointer) {
  auto type = LLVM::LLVMPointerType::get(tiles.builder.getContext(), globalSpace);
  return LLVM::AddrSpaceCastOp::create(tiles.builder, tiles.location, type, pointer);
}

void commitCopies(TileBuilder &tiles) { NVVM::CpAsyncCommitGroupOp::create(tiles.builder, tiles.location); }

void awaitCopies(TileBuilder &tiles, int64_t open) {
  NVVM::CpAsyncWaitGroupOp::create(tiles.builder, tiles.location, open);
}

} // namespace attnc
