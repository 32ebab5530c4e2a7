#include "compiler/Fuse/Turns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attnc {

bool hasPlainTurns(scf::ForOp loop) {
  return getConstantIntValue(loop.getLowerBound()) == 0 && getConstantIntValue(loop.getStep()) == 1;
}

RankedTensorType listOf(RankedTensorType element, int64_t count) {
  SmallVector<int64_t> shape = {count};
  llvm::append_range(shape, element.getShape());
  return RankedTensorType::get(shape, element.getElementType());
}

SmallVector<Value> dynamicSizes(OpBuilder &builder, SymbolicShapes &shapes, Value value) {
  SmallVector<Value> sizes;
  for (auto [dimension, extent] : llvm::enumerate(cast<RankedTensorType>(value.getType()).getShape()))
    if (ShapedType::isDynamic(extent))
      sizes.push_back(shapes.materialise(builder, value.getLoc(), shapes.extent(value, dimension)));
  return sizes;
}

Value emptyList(OpBuilder &builder, SymbolicShapes &shapes, Value value, scf::ForOp loop) {
  std::optional<int64_t> count = getConstantIntValue(loop.getUpperBound());
  RankedTensorType type = listOf(cast<RankedTensorType>(value.getType()), count.value_or(ShapedType::kDynamic));
  SmallVector<Value> sizes = dynamicSizes(builder, shapes, value);
  if (llvm::is_contained(sizes, Value()))
    return {};
  if (!count)
    sizes.insert(sizes.begin(), loop.getUpperBound());
  return tensor::EmptyOp::create(builder, loop.getLoc(), type.getShape(), type.getElementType(), sizes);
}

scf::ForOp withListsOfTurns(scf::ForOp loop, ArrayRef<Value> values, SymbolicShapes &shapes, ArrayRef<Value> places) {
  IRRewriter rewriter(loop);
  SmallVector<Value> lists;
  for (Value value : values)
    lists.push_back(emptyList(rewriter, shapes, value, loop));
  SmallVector<Value> turns(values.size(), loop.getInductionVar());
  if (!places.empty())
    turns.assign(places.begin(), places.end());
  auto yield = [&](OpBuilder &inside, Location at, ArrayRef<BlockArgument> carried) {
    SmallVector<Value> next;
    for (auto [value, list, turn] : llvm::zip_equal(values, carried, turns))
      next.push_back(model::WithElementOp::create(inside, at, list.getType(), value, list, turn));
    return next;
  };
  DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
  auto wider = loop.replaceWithAdditionalYields(rewriter, lists, /*replaceInitOperandUsesInLoop=*/false, yield);
  (*wider)->setDiscardableAttrs(attributes);
  return cast<scf::ForOp>(wider->getOperation());
}

model::WithElementOp listWriter(scf::ForOp loop, unsigned number, SymbolicShapes &shapes) {
  BlockArgument list = loop.getRegionIterArg(number);
  auto writer = loop.getYieldedValues()[number].getDefiningOp<model::WithElementOp>();
  bool isPlain = writer && writer.getList() == list && list.hasOneUse() && writer->hasOneUse() &&
                 turnOrder(writer.getPlace(), loop, shapes) != TurnOrder::None;
  return isPlain ? writer : nullptr;
}

Value placeIn(TurnOrder order, OpBuilder &builder, scf::ForOp loop) {
  Value turn = loop.getInductionVar();
  if (order != TurnOrder::Down)
    return turn;
  Value one = arith::ConstantIndexOp::create(builder, loop.getLoc(), 1);
  Value last = builder.createOrFold<arith::SubIOp>(loop.getLoc(), loop.getUpperBound(), one);
  return arith::SubIOp::create(builder, loop.getLoc(), last, turn);
}

TurnOrder turnOrder(Value place, scf::ForOp loop, SymbolicShapes &shapes) {
  if (!hasPlainTurns(loop))
    return TurnOrder::None;
  if (place == loop.getInductionVar())
    return TurnOrder::Up;
  auto difference = place.getDefiningOp<arith::SubIOp>();
  if (!difference || !(shapes.size(difference.getLhs()) == shapes.size(loop.getUpperBound()) - SizeExpr(1)))
    return TurnOrder::None;
  TurnOrder order = turnOrder(difference.getRhs(), loop, shapes);
  return order == TurnOrder::None ? order : order == TurnOrder::Up ? TurnOrder::Down : TurnOrder::Up;
}

} // namespace attnc
