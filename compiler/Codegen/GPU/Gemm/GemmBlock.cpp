#include "compiler/Codegen/GPU/Gemm/GemmBlock.h"
#include "compiler/Codegen/Kernels/Gemm/GemmResult.h"
#include "compiler/Sizes/Divisibility.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

static constexpr int64_t unitWords = unitBytes / wordBytes;

GemmBlock::GemmBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame)
    : problem(problem), tiling(tiling), frame(frame), tiles(frame.builder, frame.location),
      code(frame.builder, frame.location, 1), leftOperand(problem, GemmOperand::Side::Left),
      rightOperand(problem, GemmOperand::Side::Right), memory(tiles, frame.code),
      left(tileOf(leftOperand, tiling.rows)), right(tileOf(rightOperand, tiling.columns)) {
  thread = tiles.fromIndex(frame.place.thread);
  depth = frame.size(problem.extent(LoopGroup::Depth));
  findPlace();
}

/// Blocks of a group of rows go through all columns before the next group's do.
void GemmBlock::findPlace() {
  Value rowBlocks = tiles.fromIndex(frame.size(tiling.rowBlocks));
  Value columnBlocks = tiles.fromIndex(frame.size(tiling.columnBlocks));
  Value chunk = tiles.fromIndex(frame.chunk), ofMatrix = tiles.mul(rowBlocks, columnBlocks);
  Value number = tiles.rem(chunk, ofMatrix), ofGroup = tiles.mul(columnBlocks, GemmTiling::groupRowBlocks);
  Value before = tiles.mul(tiles.div(number, ofGroup), GemmTiling::groupRowBlocks), within = tiles.rem(number, ofGroup);
  Value high = tiles.min(tiles.sub(rowBlocks, before), tiles.number(GemmTiling::groupRowBlocks));
  batch = tiles.toIndex(tiles.div(chunk, ofMatrix));
  firstRow = code.mul(tiles.toIndex(tiles.add(before, tiles.rem(within, high))), tiling.rows);
  firstColumn = code.mul(tiles.toIndex(tiles.div(within, high)), tiling.columns);
}

bool GemmBlock::rowsAreDepth(const GemmOperand &operand) const {
  if (!tiling.matrix)
    return true;
  return *tiling.matrix != MatrixType::TF32 && operand.inner() != LoopGroup::Depth;
}

SharedTile GemmBlock::tileOf(const GemmOperand &operand, int64_t outer) {
  int64_t bytes = tiling.matrix ? elementBytes(*tiling.matrix) : wordBytes;
  bool isTurned = rowsAreDepth(operand);
  return SharedTile(memory, isTurned ? tiling.depth : outer, bytes * (isTurned ? outer : tiling.depth), tiling.stages,
                    tiling.panelRowBytes);
}

OperandCopy GemmBlock::copyOf(const GemmOperand &operand, const SharedTile &tile, int64_t threads) {
  bool isLeft = operand.outer() == LoopGroup::Row;
  int64_t most = isLeft ? tiling.rows : tiling.columns;
  Value first = isLeft ? firstRow : firstColumn, behind = code.sub(frame.size(problem.extent(operand.outer())), first);
  Value left = tiles.fromIndex(code.min(behind, code.constant(most)));
  return OperandCopy(frame, tiles, operand, tile, rowsAreDepth(operand),
                     {batch, first, left, depth, tiling.depth, most}, threads);
}

GemmBlock::Values GemmBlock::startOf(const GemmOperand &operand, Value step) {
  Value first = operand.outer() == LoopGroup::Row ? firstRow : firstColumn;
  return operand.coordinates(code, tiles, frame, batch, first, code.mul(tiles.toIndex(step), tiling.depth));
}

Value GemmBlock::steps() { return tiles.fromIndex(code.ceilDiv(depth, tiling.depth)); }

SharedTile GemmBlock::sumsIn(BlockMemory &again) const {
  return SharedTile(again, tiling.rows, tiling.columns * wordBytes);
}

void GemmBlock::writeFragments(ValueRange sums, int64_t wide, const SharedTile &target, Value firstRow,
                               Value firstColumn) {
  FragmentPlace place = placeInFragment(tiles, tiles.rem(thread, warpThreads));
  Type type = VectorType::get({2}, tiles.builder.getF32Type());
  for (int64_t pair = 0; pair < static_cast<int64_t>(sums.size()) / 2; ++pair) {
    int64_t number = pair / 2;
    Value row = tiles.add(tiles.add(firstRow, place.row), number / wide * productRows + pair % 2 * 8);
    Value column = tiles.add(tiles.add(firstColumn, place.column), number % wide * productColumns);
    Value bytes = tiles.add(target.place(tiles, row, tiles.div(column, unitWords)),
                            tiles.mul(tiles.rem(column, unitWords), wordBytes));
    Value vector = vector::FromElementsOp::create(tiles.builder, tiles.location, type, sums.slice(2 * pair, 2));
    storeVector(vector, tiles.at(target.base, tiles.add(bytes, target.offset)), 2 * wordBytes);
  }
}

void GemmBlock::storeVector(Value vector, Value pointer, int64_t alignment) {
  LLVM::StoreOp::create(tiles.builder, tiles.location, vector, pointer, alignment);
}

/// Lanes must not run from one value of an outer column loop to the next, nor over an access of the device.
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
  Value place = tiles.add(sums.place(tiles, row, tiles.div(column, unitWords)),
                          tiles.mul(tiles.rem(column, unitWords), wordBytes));
  Value pointer = tiles.at(sums.base, tiles.add(place, sums.offset));
  Type type = lanes == 1 ? Type(b.getF32Type()) : Type(VectorType::get({lanes}, b.getF32Type()));
  Value loaded = LLVM::LoadOp::create(b, tiles.location, type, pointer, lanes * wordBytes);
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
