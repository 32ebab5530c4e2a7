#include "compiler/Codegen/CPU/Gemm/GemmOperands.h"
#include "compiler/Codegen/CPU/Gemm/CopyRows.h"
#include "compiler/Codegen/CPU/Gemm/GroupedRows.h"
#include "compiler/Codegen/Kernels/Gemm/GemmResult.h"

using namespace mlir;

namespace attnc {

Value GemmContext::offset(const Access &access, LoopGroup group, Value flat) const {
  if (problem.isFlat(access, group))
    return code.mul(flat, frame.size(problem.innerStride(access, group)));
  SmallVector<SizeExpr> sizes;
  for (unsigned loop : problem.loopsOf(group))
    sizes.push_back(problem.loopSizes[loop]);
  Value sum = code.constant(0);
  for (auto [loop, at] : llvm::zip(problem.loopsOf(group), coordinatesOf(code, frame, sizes, flat))) {
    auto *dimension = llvm::find(access.loops, loop);
    if (dimension == access.loops.end())
      continue;
    sum = code.add(sum, code.mul(at, frame.size(problem.stride(access, dimension - access.loops.begin()))));
  }
  return sum;
}

//===------------------------------------------ row tiles ---------------------------------------------------------===//

ProductRows::ProductRows(FlatBuilder &code, const GroupedRows &groups, Value matrix)
    : count(groups.count(matrix)), code(&code), groups(&groups), first(groups.first(matrix)) {}

Value ProductRows::number(Value row) const { return groups ? groups->row(code->add(first, row)) : row; }

RowTiles::RowTiles(const GemmContext &context, const ProductRows &matrixRows)
    : GemmContext(context), rows(matrixRows.count),
      count(matrixRows.isSorted() ? code.div(code.add(rows, schedule.mr - 1), code.constant(schedule.mr))
                                  : frame.size(schedule.rowTiles)) {
  Value even = code.div(rows, count), lowest = code.constant(schedule.blockHeights.front());
  higher = code.choose(code.less(even, lowest), code.constant(0), code.rem(rows, count));
  low = code.max(even, lowest);
}

Value RowTiles::firstOwnRow(Value tile) const {
  return code.min(rows, code.add(code.mul(tile, low), code.min(tile, higher)));
}

Value RowTiles::height(Value tile) const {
  return code.add(low, code.choose(code.less(tile, higher), code.constant(1), code.constant(0)));
}

Value RowTiles::first(Value tile) const {
  Value end = firstOwnRow(code.add(tile, 1));
  return code.sub(end, height(tile));
}

std::pair<Value, Value> RowTiles::block(Value rowBlock) const {
  Value first = code.mul(rowBlock, schedule.tilesPerBlock);
  return {first, code.min(count, code.add(first, schedule.tilesPerBlock))};
}

//===------------------------------------------ left --------------------------------------------------------------===//

LeftOperand::LeftOperand(const GemmContext &context)
    : GemmContext(context), source(code.flat(frame.buffer(problem.left.tensor))) {
  step = frame.size(problem.innerStride(problem.left, LoopGroup::Depth));
  Type f32 = code.builder.getF32Type();
  if (schedule.copiesRows)
    copied = frame.scratch(frame.size(schedule.rowsOffset(problem)), MemRefType::get({ShapedType::kDynamic}, f32),
                           {frame.size(schedule.rowFloats(problem))});
  if (schedule.copiesLeft)
    copied = frame.scratch(schedule.sumsBytes(), MemRefType::get({schedule.copiedFloats()}, f32));
}

void LeftOperand::copyRows(Value first, Value count) {
  firstCopied = first;
  Value depth = extent(LoopGroup::Depth);
  code.loop(code.constant(0), count, 1, [&](Value row) {
    code.copy(source, rowOffset(code.add(first, row)), copied, code.mul(row, depth), depth);
  });
}

void LeftOperand::copyTiles(const RowTiles &tiles, Value firstTile, Value count, Value k0, Value steps) const {
  Value depthOffset = offset(problem.left, LoopGroup::Depth, k0);
  CopiedRows rows{source, code.add(batchOffset, depthOffset), step, steps, copied, schedule.kc, schedule.mr};
  emitCopyRows(
      code, rows, count, [&](Value number) { return tiles.first(code.add(firstTile, number)); },
      [&](Value number) { return tiles.height(code.add(firstTile, number)); });
}

TileOperands LeftOperand::tile(Value firstRow, int64_t height, Value lastRow, Value k0) const {
  const Access &left = problem.left;
  auto rowOf = [&](int64_t r) {
    return lastRow ? code.min(code.constant(r), code.sub(lastRow, firstRow)) : code.constant(r);
  };
  TileOperands operands;
  if (schedule.copiesRows) {
    Value depth = extent(LoopGroup::Depth);
    operands.left = copied;
    operands.leftOffset = code.add(code.mul(code.sub(firstRow, firstCopied), depth), k0);
    for (int64_t r = 0; r < height; ++r)
      operands.rowDistances.push_back(code.mul(rowOf(r), depth));
    operands.leftStep = code.constant(1);
    return operands;
  }
  operands.left = source;
  Value firstOffset = offsetInBatch(firstRow);
  operands.leftOffset = code.add(code.add(batchOffset, firstOffset), offset(left, LoopGroup::Depth, k0));
  bool flat = problem.isFlat(left, LoopGroup::Row) && !rows->isSorted();
  for (int64_t r = 0; r < height; ++r) {
    Value row = rowOf(r);
    operands.rowDistances.push_back(flat ? offset(left, LoopGroup::Row, row)
                                         : code.sub(offsetInBatch(code.add(firstRow, row)), firstOffset));
  }
  operands.leftStep = step;
  return operands;
}

TileOperands LeftOperand::copiedTile(Value number, int64_t height) const {
  TileOperands operands;
  operands.left = copied;
  operands.leftOffset = code.mul(number, schedule.kc * schedule.mr);
  for (int64_t r = 0; r < height; ++r)
    operands.rowDistances.push_back(code.constant(r));
  operands.leftStep = code.constant(schedule.mr);
  return operands;
}

//===------------------------------------------ right -------------------------------------------------------------===//

RightPanels::RightPanels(const GemmContext &context) : GemmContext(context) {
  SizeExpr panelFloats = problem.extent(LoopGroup::Depth) * SizeExpr(schedule.nr);
  auto floats = MemRefType::get({ShapedType::kDynamic}, code.builder.getF32Type());
  if (problem.packing || schedule.dots || schedule.readsRight)
    buffer = code.flat(frame.buffer(problem.right.tensor));
  else if (schedule.packsPanels)
    buffer = frame.scratch(schedule.sumsBytes(), floats, {frame.size(panelFloats)});
  else
    buffer = frame.shared(0, floats, {frame.size(problem.extent(LoopGroup::Batch) * schedule.panels * panelFloats)});
}

void RightPanels::pack(Value batch, Value panel) const {
  if (schedule.packsPanels)
    emitPackPanel(code, frame.code, rightMatrix(*this, buffer),
                  code.add(code.mul(batch, frame.size(schedule.panels)), panel), code.constant(0));
}

void RightPanels::addTo(TileOperands &operands, Value offset, Value k0) const {
  operands.panel = buffer;
  operands.panelOffset = code.add(offset, code.mul(k0, step()));
}

Value RightPanels::step() const { return schedule.readsRight ? extent(LoopGroup::Column) : code.constant(schedule.nr); }

Value RightPanels::panelOffset(Value batch, Value panel) const {
  if (schedule.packsPanels)
    return code.constant(0);
  Value depth = extent(LoopGroup::Depth);
  if (schedule.readsRight)
    return code.add(code.mul(code.mul(batch, depth), step()), code.mul(panel, schedule.nr));
  Value number = code.add(code.mul(batch, frame.size(schedule.panels)), panel);
  return code.mul(code.mul(number, depth), schedule.nr);
}

PackedMatrix rightMatrix(const GemmContext &context, Value packed) {
  const GemmProblem &problem = context.problem;
  SizeExpr depth = problem.extent(LoopGroup::Depth), columns = problem.extent(LoopGroup::Column);
  PackedMatrix matrix;
  matrix.source = context.code.flat(context.frame.buffer(problem.right.tensor));
  matrix.packed = packed;
  matrix.depth = context.frame.size(depth);
  matrix.columns = context.frame.size(columns);
  matrix.batchStride = context.frame.size(depth * columns);
  matrix.transposed = problem.rightIsTransposed();
  matrix.outerStride = context.frame.size(matrix.transposed ? depth : columns);
  matrix.nr = context.schedule.nr;
  return matrix;
}

} // namespace attnc
