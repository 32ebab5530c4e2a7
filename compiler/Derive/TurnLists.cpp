#include "compiler/Derive/TurnLists.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

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

scf::ForOp withListsOfTurns(scf::ForOp loop, ArrayRef<Value> values, int64_t turns) {
  IRRewriter rewriter(loop);
  SymbolicShapes shapes(loop->getParentOfType<func::FuncOp>());
  SmallVector<Value> lists;
  for (Value value : values) {
    RankedTensorType type = listOf(cast<RankedTensorType>(value.getType()), turns);
    lists.push_back(tensor::EmptyOp::create(rewriter, loop.getLoc(), type.getShape(), type.getElementType(),
                                            dynamicSizes(rewriter, shapes, value)));
  }
  Value turn = loop.getInductionVar();
  auto yield = [&](OpBuilder &inside, Location at, ArrayRef<BlockArgument> carried) {
    SmallVector<Value> next;
    for (auto [value, list] : llvm::zip_equal(values, carried))
      next.push_back(model::WithElementOp::create(inside, at, list.getType(), value, list, turn));
    return next;
  };
  auto wider = loop.replaceWithAdditionalYields(rewriter, lists, /*replaceInitOperandUsesInLoop=*/false, yield);
  return cast<scf::ForOp>(wider->getOperation());
}

} // namespace attnc
