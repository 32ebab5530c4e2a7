#include "compiler/Codegen/GPU/Gemm/OperandCopy.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc {

OperandCopy::OperandCopy(DeviceFrame &frame, TileBuilder &tiles, const GemmOperand &operand, const SharedTile &tile,
                         bool rowsAreDepth, OperandSlice slice, int64_t threads)
    : frame(frame), tiles(tiles), code(tiles.builder, tiles.location, 1), operand(operand), tile(tile),
      rowsAreDepth(rowsAreDepth), slice(slice), threads(threads) {
  Value thread = tiles.fromIndex(frame.position.thread);
  bool keepsOrder = rowsAreDepth == (operand.inner() != LoopGroup::Depth);
  bool keepsType = tile.rowBytes == operand.elementBytes() * (rowsAreDepth ? slice.tileOuter : slice.tileDepth);
  if (keepsOrder && keepsType && operand.hasVectors(slice.tileDepth))
    openVectors(thread);
  else
    openElements(thread);
}

Value OperandCopy::bytes(LoopGroup group, Value flat) {
  return code.builder.createOrFold<arith::IndexCastOp>(code.location, code.builder.getI64Type(),
                                                       operand.offset(code, frame, group, flat));
}

void OperandCopy::openVectors(Value thread) {
  Value start = tiles.at(operand.pointer(frame), bytes(LoopGroup::Batch, slice.batch));
  if (rowsAreDepth)
    start = tiles.at(start, bytes(operand.outer(), slice.first));
  auto rowOffset = [&](Value row) {
    Value number = tiles.toIndex(row);
    return rowsAreDepth ? bytes(LoopGroup::Depth, number) : bytes(operand.outer(), code.add(slice.first, number));
  };
  vectors.emplace(tiles, tile, TileSource{start, rowOffset}, thread, threads);
}

void OperandCopy::openElements(Value thread) {
  Value start = globalPointer(tiles, tiles.at(operand.pointer(frame), bytes(LoopGroup::Batch, slice.batch)));
  // Neighbouring threads read neighbouring elements.
  bool alongDepth = operand.inner() == LoopGroup::Depth;
  int64_t run = alongDepth ? slice.tileDepth : slice.tileOuter;
  for (int64_t first = 0; first < slice.tileOuter * slice.tileDepth; first += threads) {
    Value number = tiles.add(thread, first);
    Value along = tiles.rem(number, run), across = tiles.div(number, run);
    Value outer = alongDepth ? across : along, depth = alongDepth ? along : across;
    Value row = rowsAreDepth ? depth : outer, column = rowsAreDepth ? outer : depth;
    Value offset = tiles.add(tile.vectorOffset(tiles, row, tiles.div(column, vectorF32s)),
                             tiles.mul(tiles.rem(column, vectorF32s), f32Bytes));
    Value number64 = code.add(slice.first, tiles.toIndex(outer));
    elements.push_back({outer, depth, offset, tiles.at(start, bytes(operand.outer(), number64))});
  }
}

void OperandCopy::issue(Value stage, Value kTile) {
  Value before = code.mul(tiles.toIndex(kTile), slice.tileDepth);
  Value depthLeft = tiles.fromIndex(code.min(code.sub(slice.depth, before), code.constant(slice.tileDepth)));
  Value offset = tile.stageOffset(tiles, stage);
  if (!vectors) {
    for (const Element &element : elements)
      issueElement(element, tiles.at(tile.base, tiles.add(offset, element.offset)), before, depthLeft);
    return;
  }
  bool isWhole = FlatBuilder::constantOf(code.rem(slice.depth, slice.tileDepth)) == int64_t(0);
  Value inBytes =
      rowsAreDepth ? tiles.mul(slice.left, operand.elementBytes()) : tiles.mul(depthLeft, operand.elementBytes());
  Value rows = rowsAreDepth ? depthLeft : slice.left;
  bool rowsAreWhole = rowsAreDepth && isWhole, bytesAreWhole = !rowsAreDepth && isWhole;
  vectors->issue(offset, bytes(LoopGroup::Depth, before), rowsAreWhole ? Value() : rows,
                 bytesAreWhole ? Value() : inBytes);
}

void OperandCopy::changeElements(Value stage, function_ref<Value(Value)> change) {
  vectors->changeElements(tile.stageOffset(tiles, stage), change);
}

void OperandCopy::issueElement(const Element &element, Value target, Value before, Value depthLeft) {
  OpBuilder &b = tiles.builder;
  Value source = tiles.at(element.source, bytes(LoopGroup::Depth, code.add(before, tiles.toIndex(element.depth))));
  Value isThere = tiles.both(tiles.less(element.outer, slice.left), tiles.less(element.depth, depthLeft));
  if (operand.element().isF32())
    return copyAsync(tiles, target, source, f32Bytes,
                     tiles.choose(isThere, tiles.constant(f32Bytes), tiles.constant(0)));
  auto loaded = scf::IfOp::create(b, tiles.location, b.getF32Type(), isThere, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loaded.thenBlock());
    Value narrow = tiles.load(operand.element(), source);
    scf::YieldOp::create(b, tiles.location,
                         ValueRange{arith::ExtFOp::create(b, tiles.location, b.getF32Type(), narrow)});
    b.setInsertionPointToStart(loaded.elseBlock());
    scf::YieldOp::create(b, tiles.location,
                         ValueRange{arith::ConstantOp::create(b, tiles.location, b.getF32FloatAttr(0))});
  }
  tiles.store(loaded.getResult(0), target);
}

} // namespace attnc
