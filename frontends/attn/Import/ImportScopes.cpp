#include "frontends/attn/Import/ImportScopes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

using namespace typed;

Value ImportScopes::find(ExprRef expr) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (Value value = scope->values.lookup(expr))
      return value;
  return {};
}

Value ImportScopes::counter(const LoopCounter *loop) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (Value index = scope->counters.lookup(loop))
      return index;
  return {};
}

Value ImportScopes::factor(const Dim::Factor &factor, Location at) {
  if (!factor.quotient)
    return size(Dim::of(factor), at);
  Value dividend = size(factor.quotient->dividend, at); // not negative
  Value divisor = arith::ConstantIndexOp::create(builder, at, factor.quotient->divisor);
  return arith::DivUIOp::create(builder, at, dividend, divisor);
}

Value ImportScopes::size(const Dim &dim, Location at) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (auto found = scope->sizes.find(dim); found != scope->sizes.end())
      return found->second;
  OpBuilder::InsertionGuard guard(builder);
  setInsertionPointOutside();
  Value sum;
  for (const auto &[factors, coefficient] : dim.getTerms()) {
    Value product;
    if (coefficient != 1 || factors.empty())
      product = arith::ConstantIndexOp::create(builder, at, coefficient);
    for (const Dim::Factor &factor : factors) {
      Value factorValue = this->factor(factor, at);
      product = product ? arith::MulIOp::create(builder, at, product, factorValue).getResult() : factorValue;
    }
    sum = sum ? arith::AddIOp::create(builder, at, sum, product).getResult() : product;
  }
  if (!sum)
    sum = arith::ConstantIndexOp::create(builder, at, 0);
  scopes.back().sizes[dim] = sum;
  return sum;
}

SmallVector<OpFoldResult> ImportScopes::mixedSizes(const Shape &shape, Location at) {
  SmallVector<OpFoldResult> sizes;
  for (const Dim &dim : shape)
    sizes.push_back(dim.isConstant() ? OpFoldResult(builder.getIndexAttr(dim.constant())) : size(dim, at));
  return sizes;
}

Value ImportScopes::empty(Element element, const Shape &shape, Location at) {
  return tensor::EmptyOp::create(builder, at, mixedSizes(shape, at), types.tensorType(element, shape).getElementType());
}

Value ImportScopes::filled(Value scalar, Element element, const Shape &shape, Location at) {
  return linalg::FillOp::create(builder, at, scalar, empty(element, shape, at)).getResult(0);
}

} // namespace attnc
