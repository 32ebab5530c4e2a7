#include "compiler/Derive/CotangentTensors.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

bool isReal(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32();
}

/// The scatter that computes `value`, if it starts from zeros and has no other user.
static attn::ScatterAddOp scatterFromZeros(Value value) {
  auto scatter = value.getDefiningOp<attn::ScatterAddOp>();
  auto fill = scatter && value.use_empty() ? scatter.getInit().getDefiningOp<linalg::FillOp>() : nullptr;
  return fill && matchPattern(fill.getInputs().front(), m_AnyZeroFloat()) ? scatter : nullptr;
}

Value addElementwise(OpBuilder &builder, Location location, Value a, Value b) {
  // The scatter adds to the other term directly.
  for (auto [scattered, other] : {std::pair(b, a), std::pair(a, b)})
    if (auto scatter = scatterFromZeros(scattered); scatter && scatter->getBlock() == builder.getInsertionBlock()) {
      scatter->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
      scatter.getInitMutable().assign(other);
      return scattered;
    }
  auto type = cast<RankedTensorType>(a.getType());
  auto map = AffineMap::getMultiDimIdentityMap(type.getRank(), builder.getContext());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  Value empty =
      tensor::EmptyOp::create(builder, location, tensor::getMixedSizes(builder, location, a), type.getElementType());
  return linalg::GenericOp::create(builder, location, empty.getType(), ValueRange{a, b}, empty,
                                   ArrayRef<AffineMap>{map, map, map}, loops,
                                   [](OpBuilder &inner, Location at, ValueRange v) {
                                     Value total = arith::AddFOp::create(inner, at, v[0], v[1]);
                                     linalg::YieldOp::create(inner, at, total);
                                   })
      .getResult(0);
}

Value zerosLike(OpBuilder &builder, Location location, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  Value empty =
      tensor::EmptyOp::create(builder, location, tensor::getMixedSizes(builder, location, like), type.getElementType());
  Value zero = arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(0));
  return linalg::FillOp::create(builder, location, zero, empty).getResult(0);
}

Value oneElementList(OpBuilder &builder, Location location, Value element, Value elementIndex, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  Value empty =
      tensor::EmptyOp::create(builder, location, tensor::getMixedSizes(builder, location, like), type.getElementType());
  AffineMap whole = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  auto body = [&](OpBuilder &inner, Location at, ValueRange elements) {
    Value here = linalg::IndexOp::create(inner, at, 0);
    Value isPlace = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::eq, here, elementIndex);
    Value zero = arith::ConstantOp::create(inner, at, inner.getF32FloatAttr(0));
    linalg::YieldOp::create(inner, at, arith::SelectOp::create(inner, at, isPlace, elements[0], zero).getResult());
  };
  return linalg::GenericOp::create(builder, location, empty.getType(), element, empty,
                                   ArrayRef<AffineMap>{whole.dropResult(0), whole}, loops, body)
      .getResult(0);
}

} // namespace attnc
