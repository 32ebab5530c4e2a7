#include "compiler/Codegen/GPU/Gemm/OperandCopy.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc {

/// Of f32.
static constexpr int64_t unitWords = unitBytes / wordBytes;

OperandCopy::OperandCopy(DeviceFrame &frame, TileBuilder &tiles, const GemmOperand &operand, const SharedTile &tile,
                         bool rowsAreDepth, OperandPart part, int64_t threads)
    : frame(frame), tiles(tiles), code(tiles.builder, tiles.location, 1), operand(operand), tile(tile),
      rowsAreDepth(rowsAreDepth), part(part), threads(threads) {
  Value thread = tiles.fromIndex(frame.place.thread);
  bool keepsOrder = rowsAreDepth == (operand.inner() != LoopGroup::Depth);
  bool keepsType = tile.rowBytes == operand.elementBytes() * (rowsAreDepth ? part.tileOuter : part.tileDepth);
  if (keepsOrder && keepsType && operand.hasUnits(part.tileDepth))
    openUnits(thread);
  else
    openElements(thread);
}

Value OperandCopy::bytes(LoopGroup group, Value flat) {
  return code.builder.createOrFold<arith::IndexCastOp>(code.location, code.builder.getI64Type(),
                                                       operand.offset(code, frame, group, flat));
}

void OperandCopy::openUnits(Value thread) {
  Value start = tiles.at(operand.pointer(frame), bytes(LoopGroup::Batch, part.batch));
  if (rowsAreDepth)
    start = tiles.at(start, bytes(operand.outer(), part.first));
  auto rowOffset = [&](Value row) {
    Value number = tiles.toIndex(row);
    return rowsAreDepth ? bytes(LoopGroup::Depth, number) : bytes(operand.outer(), code.add(part.first, number));
  };
  units.emplace(tiles, tile, TileSource{start, rowOffset}, thread, threads);
}

void OperandCopy::openElements(Value thread) {
  Value start = globalPointer(tiles, tiles.at(operand.pointer(frame), bytes(LoopGroup::Batch, part.batch)));
  // Neighbouring threads read neighbours.
  bool alongDepth = operand.inner() == LoopGroup::Depth;
  int64_t run = alongDepth ? part.tileDepth : part.tileOuter;
  for (int64_t first = 0; first < part.tileOuter * part.tileDepth; first += threads) {
    Value number = tiles.add(thread, first);
    Value along = tiles.rem(number, run), across = tiles.div(number, run);
    Value outer = alongDepth ? across : along, depth = alongDepth ? along : across;
    Value row = rowsAreDepth ? depth : outer, column = rowsAreDepth ? outer : depth;
    Value place = tiles.add(tile.place(tiles, row, tiles.div(column, unitWords)),
                            tiles.mul(tiles.rem(column, unitWords), wordBytes));
    Value number64 = code.add(part.first, tiles.toIndex(outer));
    elements.push_back({outer, depth, place, tiles.at(start, bytes(operand.outer(), number64))});
  }
}

void OperandCopy::issue(Value stage, Value step) {
  Value before = code.mul(tiles.toIndex(step), part.tileDepth);
  Value depthLeft = tiles.fromIndex(code.min(code.sub(part.depth, before), code.constant(part.tileDepth)));
  Value place = tile.stage(tiles, stage);
  if (!units) {
    for (const Element &element : elements)
      issueElement(element, tiles.at(tile.base, tiles.add(place, element.place)), before, depthLeft);
    return;
  }
  bool isWhole = FlatBuilder::constantOf(code.rem(part.depth, part.tileDepth)) == int64_t(0);
  Value inBytes =
      rowsAreDepth ? tiles.mul(part.left, operand.elementBytes()) : tiles.mul(depthLeft, operand.elementBytes());
  Value rows = rowsAreDepth ? depthLeft : part.left;
  bool rowsAreWhole = rowsAreDepth && isWhole, bytesAreWhole = !rowsAreDepth && isWhole;
  units->issue(place, bytes(LoopGroup::Depth, before), rowsAreWhole ? Value() : rows,
               bytesAreWhole ? Value() : inBytes);
}

void OperandCopy::changeWords(Value stage, function_ref<Value(Value)> change) {
  units->changeWords(tile.stage(tiles, stage), change);
}

void OperandCopy::issueElement(const Element &element, Value target, Value before, Value depthLeft) {
  OpBuilder &b = tiles.builder;
  Value source = tiles.at(element.source, bytes(LoopGroup::Depth, code.add(before, tiles.toIndex(element.depth))));
  Value isThere = tiles.both(tiles.less(element.outer, part.left), tiles.less(element.depth, depthLeft));
  if (operand.element().isF32())
    return copyAsync(tiles, target, source, wordBytes, tiles.select(isThere, tiles.number(wordBytes), tiles.number(0)));
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
