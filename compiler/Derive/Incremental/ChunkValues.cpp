#include "compiler/Derive/Incremental/ChunkValues.h"

using namespace mlir;

namespace attnc {

RankedTensorType ChunkValues::typeOf(Value value, bool isPerRow) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (auto position = dims.positionDim(value); position && isStep)
    shape[*position] = 1;
  if (isPerRow)
    shape.insert(shape.begin(), ShapedType::kDynamic);
  return RankedTensorType::get(shape, type.getElementType());
}

OpFoldResult ChunkValues::rowCount(Location at) { return size(SizeExpr::symbol(*dims.rowSymbol), at); }

SmallVector<OpFoldResult> ChunkValues::sizesOf(Value value, bool isPerRow) {
  SmallVector<OpFoldResult> sizes;
  if (isPerRow)
    sizes.push_back(rowCount(value.getLoc()));
  std::optional<unsigned> position = dims.positionDim(value);
  for (auto [dim, extent] : llvm::enumerate(dims.shapes.shape(value))) {
    if (extent.isConstant())
      sizes.push_back(builder.getIndexAttr(extent.constant()));
    else if (isStep && position == dim)
      sizes.push_back(builder.getIndexAttr(1));
    else
      sizes.push_back(size(extent, value.getLoc()));
  }
  return sizes;
}

bool ChunkValues::hasSizes(Value value) {
  return llvm::all_of(dims.shapes.shape(value), [&](const SizeExpr &extent) { return isKnown(extent); });
}

Value ChunkValues::emptyLike(Value value, bool isPerRow) {
  return tensor::EmptyOp::create(builder, value.getLoc(), sizesOf(value, isPerRow),
                                 typeOf(value, isPerRow).getElementType());
}

OpFoldResult ChunkValues::sizeHere(OpFoldResult size, Location at) {
  if (isa<Attribute>(size))
    return size;
  if (isStep && dims.isPositionCount(size))
    return builder.getIndexAttr(1);
  return values.lookup(cast<Value>(size));
}

Value ChunkValues::tensor(Value value) {
  if (Value known = values.lookupOrNull(value))
    return known;
  auto given = llvm::find_if(plan.given, [&](const RetainedValue &each) { return each.value == value; });
  Value list = lists.lookup(value), index = elementIndex(*given, value.getLoc());
  return index ? model::ElementOp::create(builder, value.getLoc(), typeOf(value), list, index).getResult() : list;
}

Value ChunkValues::tensor(Value value, bool isPerRow) {
  Value here = tensor(value);
  if (!isPerRow || this->isPerRow(value))
    return here;
  Value target = emptyLike(value, true);
  return linalg::BroadcastOp::create(builder, value.getLoc(), here, target, ArrayRef<int64_t>{0}).getResult()[0];
}

} // namespace attnc
