#include "compiler/Reference/Affine.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attnc::reference;

int64_t attnc::reference::evaluate(AffineExpr expression, ArrayRef<int64_t> dimensions, ArrayRef<int64_t> symbols) {
  if (auto dimension = dyn_cast<AffineDimExpr>(expression))
    return dimensions[dimension.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return symbols[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expression);
  int64_t a = evaluate(binary.getLHS(), dimensions, symbols), b = evaluate(binary.getRHS(), dimensions, symbols);
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::Mod:
    return llvm::mod(a, b);
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(a, b);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(a, b);
  default:
    llvm_unreachable("a binary affine expression");
  }
}

ScalarFunction attnc::reference::affineFunction(Operation *op) {
  AffineMap map;
  bool largest = isa<affine::AffineMaxOp>(op);
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    map = apply.getAffineMap();
  else if (auto min = dyn_cast<affine::AffineMinOp>(op))
    map = min.getAffineMap();
  else if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    map = max.getAffineMap();
  else
    return {};
  return [=](const double *operands) {
    llvm::SmallVector<int64_t> values(operands, operands + map.getNumInputs());
    ArrayRef<int64_t> all = values;
    auto value = [&](AffineExpr expression) {
      return evaluate(expression, all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
    };
    int64_t result = value(map.getResult(0));
    for (AffineExpr expression : map.getResults().drop_front())
      result = largest ? std::max(result, value(expression)) : std::min(result, value(expression));
    return static_cast<double>(result);
  };
}
