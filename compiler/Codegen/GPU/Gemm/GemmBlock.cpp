#include "compiler/Codegen/GPU/Gemm/GemmBlock.h"
#include "compiler/Codegen/Kernels/Gemm/GemmResult.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace attnc {

static constexpr int64_t wordBytes = 4, unitWords = unitBytes / wordBytes;

GemmBlock::GemmBlock(const GemmProblem &problem, const GemmTiling &tiling, DeviceFrame &frame)
    : problem(problem), tiling(tiling), frame(frame), tiles(frame.builder, frame.location),
      code(frame.builder, frame.location, 1), leftOperand(problem, GemmOperand::Side::Left),
      rightOperand(problem, GemmOperand::Side::Right), memory(tiles, frame.code),
      left(tileOf(leftOperand, tiling.rows)), right(tileOf(rightOperand, tiling.columns)) {
  thread = tiles.fromIndex(frame.place.thread);
  Value rowBlocks = frame.size(tiling.rowBlocks), columnBlocks = frame.size(tiling.columnBlocks);
  Value rest = code.div(frame.chunk, rowBlocks);
  firstRow = code.mul(code.rem(frame.chunk, rowBlocks), tiling.rows);
  firstColumn = code.mul(code.rem(rest, columnBlocks), tiling.columns);
  batch = code.div(rest, columnBlocks);
  depth = frame.size(problem.extent(LoopGroup::Depth));
}

bool GemmBlock::rowsAreDepth(const GemmOperand &operand) const {
  if (!tiling.matrix)
    return true;
  return *tiling.matrix != MatrixType::TF32 && operand.inner() != LoopGroup::Depth;
}

SharedTile GemmBlock::tileOf(const GemmOperand &operand, int64_t outer) {
  int64_t bytes = tiling.matrix ? elementBytes(*tiling.matrix) : wordBytes;
  bool isTurned = rowsAreDepth(operand);
  return SharedTile(memory, isTurned ? tiling.depth : outer, bytes * (isTurned ? outer : tiling.depth), tiling.stages);
}

OperandCopy GemmBlock::copyOf(const GemmOperand &operand, const SharedTile &tile, Value first) {
  int64_t most = operand.outer() == LoopGroup::Row ? tiling.rows : tiling.columns;
  Value behind = code.sub(frame.size(problem.extent(operand.outer())), first);
  Value left = tiles.fromIndex(code.min(behind, code.constant(most)));
  return OperandCopy(frame, tiles, operand, tile, rowsAreDepth(operand),
                     {batch, first, left, depth, tiling.depth, most}, tiling.threads);
}

void GemmBlock::storeVector(Value vector, Value pointer, int64_t alignment) {
  LLVM::StoreOp::create(tiles.builder, tiles.location, vector, pointer, alignment);
}

GemmBlock::Values GemmBlock::multiplyAll() {
  OperandCopy copyLeft = copyOf(leftOperand, left, firstRow), copyRight = copyOf(rightOperand, right, firstColumn);
  Value steps = tiles.fromIndex(code.ceilDiv(depth, tiling.depth));
  auto copy = [&](Value stage, Value step) {
    tiles.when(tiles.less(step, steps), [&] {
      copyLeft.issue(stage, step);
      copyRight.issue(stage, step);
    });
    closeCopies(tiles);
  };
  for (int64_t each = 0; each + 1 < tiling.stages; ++each)
    copy(tiles.number(each), tiles.number(each));
  auto next = [&](Value stage) {
    Value following = tiles.add(stage, 1);
    return tiles.select(tiles.less(following, tiles.number(tiling.stages)), following, tiles.number(0));
  };
  Values carried = zeroSums();
  carried.append({tiles.number(0), tiles.number(tiling.stages - 1)});
  return tiles.loop(tiles.number(0), steps, 1, carried, [&](Value step, ValueRange before) {
    Value reads = before[before.size() - 2], writes = before.back();
    awaitCopies(tiles, tiling.stages - 2);
    tiles.waitForBlock();
    copy(writes, tiles.add(step, tiling.stages - 1));
    Values after = multiply(left.stage(tiles, reads), right.stage(tiles, reads), before.drop_back(2));
    after.append({next(reads), next(writes)});
    return after;
  });
}

int64_t GemmBlock::emit() {
  Values sums = multiplyAll();
  // In place of the tiles, which nobody reads any more.
  BlockMemory again(tiles, frame.code);
  SharedTile target(again, tiling.rows, tiling.columns * wordBytes);
  tiles.waitForBlock();
  writeSums(ValueRange(sums).drop_back(2), target);
  tiles.waitForBlock();
  storeResult(target);
  return std::max(memory.bytes(), again.bytes());
}

/// Lanes must not run from one value of an outer column loop to the next, nor over an access of the device.
int64_t GemmBlock::resultLanes() const {
  std::optional<unsigned> inner = innermostColumn(problem);
  return inner && isMultiple(problem.loopSizes[*inner], deviceLanes) ? deviceLanes : 1;
}

void GemmBlock::storeResult(const SharedTile &sums) {
  int64_t lanes = resultLanes(), accesses = tiling.columns / lanes;
  Value rows = tiles.fromIndex(
      code.min(code.sub(frame.size(problem.extent(LoopGroup::Row)), firstRow), code.constant(tiling.rows)));
  Value columns = tiles.fromIndex(
      code.min(code.sub(frame.size(problem.extent(LoopGroup::Column)), firstColumn), code.constant(tiling.columns)));
  tiles.loop(thread, tiles.mul(rows, accesses), tiling.threads, {}, [&](Value number, ValueRange) {
    Value row = tiles.div(number, accesses), column = tiles.mul(tiles.rem(number, accesses), lanes);
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
