#include "compiler/Derive/Tapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {
namespace {

/// Matcher of the update of a tape along one dimension.
class TapeUpdate {
public:
  TapeUpdate(scf::ForOp loop, BlockArgument before, unsigned dimension, SymbolicShapes &shapes)
      : loop(loop), before(before), dimension(dimension), shapes(shapes) {}

  /// True if all elements of `value` outside of the written row are those of the tape before the iteration.
  bool isUnchanged(Value value);
  /// The order of the rows' indices; None if no condition on the row was found.
  IterationOrder order = IterationOrder::None;

private:
  bool isUnchangedElement(linalg::GenericOp op, Value element);
  /// True if `condition` holds in the written row alone; with `isNegated`, if its negation does.
  bool isRow(Value condition, bool isNegated);
  bool isRowNumber(Value a, Value b);

  scf::ForOp loop;
  BlockArgument before;
  unsigned dimension;
  SymbolicShapes &shapes;
};

} // namespace

static Value withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return value;
}

bool TapeUpdate::isRowNumber(Value a, Value b) {
  auto index = withoutCasts(a).getDefiningOp<linalg::IndexOp>();
  if (!index || index.getDim() != dimension)
    return false;
  IterationOrder found = iterationOrder(withoutCasts(b), loop, shapes);
  if (found == IterationOrder::None || (order != IterationOrder::None && order != found))
    return false;
  order = found;
  return true;
}

bool TapeUpdate::isRow(Value condition, bool isNegated) {
  if (auto compare = condition.getDefiningOp<arith::CmpIOp>()) {
    auto wanted = isNegated ? arith::CmpIPredicate::ne : arith::CmpIPredicate::eq;
    return compare.getPredicate() == wanted &&
           (isRowNumber(compare.getLhs(), compare.getRhs()) || isRowNumber(compare.getRhs(), compare.getLhs()));
  }
  auto both = condition.getDefiningOp<arith::AndIOp>();
  auto either = condition.getDefiningOp<arith::OrIOp>();
  if (both && !isNegated)
    return isRow(both.getLhs(), false) || isRow(both.getRhs(), false);
  if (either && isNegated)
    return isRow(either.getLhs(), true) || isRow(either.getRhs(), true);
  return false;
}

bool TapeUpdate::isUnchangedElement(linalg::GenericOp op, Value element) {
  if (auto argument = dyn_cast<BlockArgument>(element)) {
    if (argument.getOwner() != op.getBody() || argument.getArgNumber() >= op.getNumDpsInputs())
      return false;
    OpOperand *operand = op.getDpsInputOperand(argument.getArgNumber());
    return op.getMatchingIndexingMap(operand).isIdentity() && isUnchanged(operand->get());
  }
  auto choice = element.getDefiningOp<arith::SelectOp>();
  if (!choice)
    return false;
  if (isRow(choice.getCondition(), /*isNegated=*/false))
    return isUnchangedElement(op, choice.getFalseValue());
  if (isRow(choice.getCondition(), /*isNegated=*/true))
    return isUnchangedElement(op, choice.getTrueValue());
  return isUnchangedElement(op, choice.getTrueValue()) && isUnchangedElement(op, choice.getFalseValue());
}

bool TapeUpdate::isUnchanged(Value value) {
  if (value == before)
    return true;
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op->getBlock() != loop.getBody() || op.getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      !op.getIndexingMapMatchingResult(op->getResult(0)).isIdentity())
    return false;
  return isUnchangedElement(op, op.getBody()->getTerminator()->getOperand(0));
}

std::optional<Tape> findTape(scf::ForOp loop, unsigned number, SymbolicShapes &shapes) {
  BlockArgument before = loop.getRegionIterArgs()[number];
  auto type = dyn_cast<RankedTensorType>(before.getType());
  for (unsigned dimension = 0; type && dimension < type.getRank(); ++dimension) {
    TapeUpdate update(loop, before, dimension, shapes);
    if (update.isUnchanged(loop.getYieldedValues()[number]) && update.order != IterationOrder::None)
      return Tape{dimension, update.order};
  }
  return std::nullopt;
}

Value tapeBefore(OpBuilder &builder, Location at, Tape tape, Value initial, Value last, Value row) {
  auto type = cast<RankedTensorType>(last.getType());
  SmallVector<AffineMap> maps(3, builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  Value init = tensor::EmptyOp::create(builder, at, tensor::getMixedSizes(builder, at, last), type.getElementType());
  auto body = [&](OpBuilder &inside, Location, ValueRange elements) {
    Value index = linalg::IndexOp::create(inside, at, tape.dimension);
    auto isWritten = tape.order == IterationOrder::Ascending ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sgt;
    Value condition = arith::CmpIOp::create(inside, at, isWritten, index, row);
    Value element = arith::SelectOp::create(inside, at, condition, elements[0], elements[1]);
    linalg::YieldOp::create(inside, at, element);
  };
  return linalg::GenericOp::create(builder, at, type, {last, initial}, init, maps, iterators, body).getResult(0);
}

} // namespace attnc
