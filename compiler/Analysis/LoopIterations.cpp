#include "compiler/Analysis/LoopIterations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attnc {

bool hasCanonicalInductionVariable(scf::ForOp loop) {
  return getConstantIntValue(loop.getLowerBound()) == 0 && getConstantIntValue(loop.getStep()) == 1;
}

RankedTensorType listType(RankedTensorType element, int64_t count) {
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
  RankedTensorType type = listType(cast<RankedTensorType>(value.getType()), count.value_or(ShapedType::kDynamic));
  SmallVector<Value> sizes = dynamicSizes(builder, shapes, value);
  if (llvm::is_contained(sizes, Value()))
    return {};
  if (!count)
    sizes.insert(sizes.begin(), loop.getUpperBound());
  return tensor::EmptyOp::create(builder, loop.getLoc(), type.getShape(), type.getElementType(), sizes);
}

scf::ForOp addIterationLists(scf::ForOp loop, ArrayRef<Value> values, SymbolicShapes &shapes, ArrayRef<Value> indices) {
  IRRewriter rewriter(loop);
  SmallVector<Value> lists;
  for (Value value : values)
    lists.push_back(emptyList(rewriter, shapes, value, loop));
  SmallVector<Value> elements(values.size(), loop.getInductionVar());
  if (!indices.empty())
    elements.assign(indices.begin(), indices.end());
  auto yield = [&](OpBuilder &inside, Location at, ArrayRef<BlockArgument> carried) {
    SmallVector<Value> next;
    for (auto [value, list, index] : llvm::zip_equal(values, carried, elements))
      next.push_back(model::WithElementOp::create(inside, at, list.getType(), value, list, index));
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
                 iterationOrder(writer.getPlace(), loop, shapes) != IterationOrder::None;
  return isPlain ? writer : nullptr;
}

Value elementIndex(IterationOrder order, OpBuilder &builder, scf::ForOp loop) {
  Value iteration = loop.getInductionVar();
  if (order != IterationOrder::Descending)
    return iteration;
  Value one = arith::ConstantIndexOp::create(builder, loop.getLoc(), 1);
  Value last = builder.createOrFold<arith::SubIOp>(loop.getLoc(), loop.getUpperBound(), one);
  return arith::SubIOp::create(builder, loop.getLoc(), last, iteration);
}

IterationOrder iterationOrder(Value index, scf::ForOp loop, SymbolicShapes &shapes) {
  if (!hasCanonicalInductionVariable(loop))
    return IterationOrder::None;
  if (index == loop.getInductionVar())
    return IterationOrder::Ascending;
  auto difference = index.getDefiningOp<arith::SubIOp>();
  if (!difference || !(shapes.size(difference.getLhs()) == shapes.size(loop.getUpperBound()) - SizeExpr(1)))
    return IterationOrder::None;
  IterationOrder order = iterationOrder(difference.getRhs(), loop, shapes);
  return order == IterationOrder::None        ? order
         : order == IterationOrder::Ascending ? IterationOrder::Descending
                                              : IterationOrder::Ascending;
}

} // namespace attnc
