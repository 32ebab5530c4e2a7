#include "compiler/Codegen/GPU/Gemm/GemmBlock.h"
#include "compiler/Codegen/Kernels/Gemm/GemmResult.h"
#include "compiler/Sizes/Divisibility.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

GemmBlock::GemmBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame)
    : problem(problem), tiling(tiling), frame(frame), tiles(frame.builder, frame.location),
      code(frame.builder, frame.location, 1), leftOperand(problem, GemmOperand::Side::Left),
      rightOperand(problem, GemmOperand::Side::Right), memory(tiles, frame.code),
      left(makeTile(leftOperand, tiling.rows)), right(makeTile(rightOperand, tiling.columns)) {
  thread = tiles.fromIndex(frame.position.thread);
  depth = frame.size(problem.extent(LoopGroup::Depth));
  locateBlock();
}

/// Blocks of a group of row blocks cover all columns before the next group starts.
void GemmBlock::locateBlock() {
  Value rowBlocks = tiles.fromIndex(frame.size(tiling.rowBlocks));
  Value columnBlocks = tiles.fromIndex(frame.size(tiling.columnBlocks));
  Value chunk = tiles.fromIndex(frame.chunk), ofMatrix = tiles.mul(rowBlocks, columnBlocks);
  Value number = tiles.rem(chunk, ofMatrix), ofGroup = tiles.mul(columnBlocks, GemmTiling::groupRowBlocks);
  Value before = tiles.mul(tiles.div(number, ofGroup), GemmTiling::groupRowBlocks), within = tiles.rem(number, ofGroup);
  Value high = tiles.min(tiles.sub(rowBlocks, before), tiles.constant(GemmTiling::groupRowBlocks));
  batch = tiles.toIndex(tiles.div(chunk, ofMatrix));
  firstRow = code.mul(tiles.toIndex(tiles.add(before, tiles.rem(within, high))), tiling.rows);
  firstColumn = code.mul(tiles.toIndex(tiles.div(within, high)), tiling.columns);
}

bool GemmBlock::rowsAreDepth(const GemmOperand &operand) const {
  if (!tiling.matrix)
    return true;
  return *tiling.matrix != MatrixType::TF32 && operand.inner() != LoopGroup::Depth;
}

SharedTile GemmBlock::makeTile(const GemmOperand &operand, int64_t outer) {
  int64_t bytes = tiling.matrix ? elementBytes(*tiling.matrix) : f32Bytes;
  bool isTurned = rowsAreDepth(operand);
  return SharedTile(memory, isTurned ? tiling.depth : outer, bytes * (isTurned ? outer : tiling.depth), tiling.stages,
                    tiling.panelRowBytes);
}

OperandCopy GemmBlock::makeCopy(const GemmOperand &operand, const SharedTile &tile, int64_t threads) {
  bool isLeft = operand.outer() == LoopGroup::Row;
  int64_t maxNumbers = isLeft ? tiling.rows : tiling.columns;
  Value first = isLeft ? firstRow : firstColumn, behind = code.sub(frame.size(problem.extent(operand.outer())), first);
  Value left = tiles.fromIndex(code.min(behind, code.constant(maxNumbers)));
  return OperandCopy(frame, tiles, operand, tile, rowsAreDepth(operand),
                     {batch, first, left, depth, tiling.depth, maxNumbers}, threads);
}

GemmBlock::Values GemmBlock::kTileStart(const GemmOperand &operand, Value kTile) {
  Value first = operand.outer() == LoopGroup::Row ? firstRow : firstColumn;
  return operand.coordinates(code, tiles, frame, batch, first, code.mul(tiles.toIndex(kTile), tiling.depth));
}

Value GemmBlock::kTiles() { return tiles.fromIndex(code.ceilDiv(depth, tiling.depth)); }

SharedTile GemmBlock::sumsTile(BlockMemory &reused) const {
  return SharedTile(reused, tiling.rows, tiling.columns * f32Bytes);
}

void GemmBlock::writeFragments(ValueRange sums, int64_t wide, const SharedTile &target, Value firstRow,
                               Value firstColumn) {
  FragmentPosition position = fragmentPosition(tiles, tiles.rem(thread, warpThreads));
  Type type = VectorType::get({2}, tiles.builder.getF32Type());
  for (int64_t pair = 0; pair < static_cast<int64_t>(sums.size()) / 2; ++pair) {
    int64_t number = pair / 2;
    Value row = tiles.add(tiles.add(firstRow, position.row), number / wide * productRows + pair % 2 * 8);
    Value column = tiles.add(tiles.add(firstColumn, position.column), number % wide * productColumns);
    Value bytes = tiles.add(target.vectorOffset(tiles, row, tiles.div(column, vectorF32s)),
                            tiles.mul(tiles.rem(column, vectorF32s), f32Bytes));
    Value vector = vector::FromElementsOp::create(tiles.builder, tiles.location, type, sums.slice(2 * pair, 2));
    storeVector(vector, tiles.at(target.base, tiles.add(bytes, target.offset)), 2 * f32Bytes);
  }
}

void GemmBlock::storeVector(Value vector, Value pointer, int64_t alignment) {
  LLVM::StoreOp::create(tiles.builder, tiles.location, vector, pointer, alignment);
}

/// Lanes must not cross from one value of an outer column loop to the next, nor exceed an access.
int64_t GemmBlock::resultLanes() const {
  std::optional<unsigned> inner = innermostColumn(problem);
  return inner && isMultipleOf(problem.loopSizes[*inner], deviceLanes) ? deviceLanes : 1;
}

void GemmBlock::storeResult(const SharedTile &sums, Value number, int64_t threads) {
  int64_t lanes = resultLanes(), accesses = tiling.columns / lanes;
  Value rows = tiles.fromIndex(
      code.min(code.sub(frame.size(problem.extent(LoopGroup::Row)), firstRow), code.constant(tiling.rows)));
  Value columns = tiles.fromIndex(
      code.min(code.sub(frame.size(problem.extent(LoopGroup::Column)), firstColumn), code.constant(tiling.columns)));
  tiles.loop(number, tiles.mul(rows, accesses), threads, {}, [&](Value access, ValueRange) {
    Value row = tiles.div(access, accesses), column = tiles.mul(tiles.rem(access, accesses), lanes);
    tiles.when(tiles.less(column, columns), [&] { storeElements(sums, row, column, lanes); });
    return Values();
  });
}

void GemmBlock::storeElements(const SharedTile &sums, Value row, Value column, int64_t lanes) {
  OpBuilder &b = tiles.builder;
  Value offset = tiles.add(sums.vectorOffset(tiles, row, tiles.div(column, vectorF32s)),
                           tiles.mul(tiles.rem(column, vectorF32s), f32Bytes));
  Value pointer = tiles.at(sums.base, tiles.add(offset, sums.offset));
  Type type = lanes == 1 ? Type(b.getF32Type()) : Type(VectorType::get({lanes}, b.getF32Type()));
  Value loaded = LLVM::LoadOp::create(b, tiles.location, type, pointer, lanes * f32Bytes);
  RegionVectoriser vectoriser(b, tiles.location, lanes);
  frame.bindTo(vectoriser);
  SmallVector<LaneIndex> coordinates(problem.loopSizes.size());
  auto set = [&](LoopGroup group, Value flat) { setCoordinates(code, frame, problem, group, flat, coordinates); };
  set(LoopGroup::Batch, batch);
  set(LoopGroup::Row, code.add(firstRow, tiles.toIndex(row)));
  set(LoopGroup::Column, code.add(firstColumn, tiles.toIndex(column)));
  storeSums(vectoriser, frame, problem, loaded, coordinates);
}

} // namespace attnc
