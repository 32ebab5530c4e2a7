#include "compiler/Analysis/Subscripts.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attnc {

//===-------------------------------------------- reading -----------------------------------------------------===//

static int64_t staticExtent(Value size) {
  auto constant = getConstantIntValue(size);
  return constant ? *constant : ShapedType::kDynamic;
}

static void addAttendIndices(LoopIndices &indices, attn::AttendOp attend, Region *region) {
  // The first argument of the weight region is the attention weight, an f32.
  for (BlockArgument argument : region->getArguments())
    if (argument.getType().isIndex())
      indices.values.push_back(argument);
  for (ValueRange sizes : {attend.getOuterSizes(), attend.getKeySizes(), attend.getValueSizes()})
    for (Value size : sizes)
      if (indices.extents.size() < indices.values.size())
        indices.extents.push_back(staticExtent(size));
}

LoopIndices LoopIndices::around(Operation *op) {
  LoopIndices indices;
  if (auto generic = op->getParentOfType<linalg::GenericOp>()) {
    indices.extents = generic.getStaticLoopRanges();
    indices.values.resize(indices.extents.size());
    return indices;
  }
  SmallVector<attn::ReduceOp> reduces;
  for (Region *region = op->getParentRegion(); region; region = region->getParentRegion()) {
    if (auto reduce = dyn_cast<attn::ReduceOp>(region->getParentOp()))
      reduces.push_back(reduce);
    if (auto attend = dyn_cast<attn::AttendOp>(region->getParentOp())) {
      addAttendIndices(indices, attend, region);
      break;
    }
  }
  for (attn::ReduceOp reduce : llvm::reverse(reduces))
    for (auto [argument, size] : llvm::zip(reduce.getBody().getArguments(), reduce.getSizes())) {
      indices.values.push_back(argument);
      indices.extents.push_back(staticExtent(size));
    }
  return indices;
}

std::optional<unsigned> LoopIndices::find(Value value) const {
  if (auto index = value.getDefiningOp<linalg::IndexOp>())
    return index.getDim();
  auto found = llvm::find(values, value);
  if (!value || found == values.end())
    return std::nullopt;
  return found - values.begin();
}

static bool isNonNegative(AffineExpr expr) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return cast<AffineConstantExpr>(expr).getValue() >= 0;
  case AffineExprKind::DimId:
  case AffineExprKind::Mod:
    return true;
  case AffineExprKind::SymbolId:
    return false;
  default:
    auto binary = cast<AffineBinaryOpExpr>(expr);
    return isNonNegative(binary.getLHS()) && isNonNegative(binary.getRHS());
  }
}

AffineExpr SubscriptReader::symbol(Value value) {
  auto found = llvm::find(symbolValues, value);
  unsigned number = found - symbolValues.begin();
  if (found == symbolValues.end())
    symbolValues.push_back(value);
  return getAffineSymbolExpr(number, value.getContext());
}

AffineExpr SubscriptReader::read(Value value) {
  MLIRContext *context = value.getContext();
  if (auto constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, context);
  if (auto index = indices.find(value))
    return getAffineDimExpr(*index, context);
  Operation *op = value.getDefiningOp();
  // A cast of an index to i32 and back is the identity, because no extent exceeds 2^31.
  if (auto cast = dyn_cast_if_present<arith::IndexCastOp>(op))
    if (auto inner = cast.getIn().getDefiningOp<arith::IndexCastOp>(); inner && inner.getIn().getType().isIndex())
      return read(inner.getIn());
  if (isa_and_present<arith::AddIOp>(op))
    return read(op->getOperand(0)) + read(op->getOperand(1));
  if (isa_and_present<arith::SubIOp>(op))
    return read(op->getOperand(0)) - read(op->getOperand(1));
  if (isa_and_present<arith::MulIOp>(op)) {
    AffineExpr left = read(op->getOperand(0)), right = read(op->getOperand(1));
    // A product of two loop indices is not affine.
    if (left.isSymbolicOrConstant() || right.isSymbolicOrConstant())
      return left * right;
    return symbol(value);
  }
  if (isa_and_present<arith::FloorDivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::DivSIOp>(op)) {
    auto divisor = getConstantIntValue(op->getOperand(1));
    AffineExpr left = read(op->getOperand(0));
    if (divisor && *divisor > 0 && (isNonNegative(left) || isa<arith::FloorDivSIOp>(op)))
      return isa<arith::RemSIOp, arith::RemUIOp>(op) ? left % *divisor : left.floorDiv(*divisor);
  }
  return symbol(value);
}

//===-------------------------------------------- simplifying -------------------------------------------------===//

namespace {
struct Term {
  int64_t factor;
  AffineExpr atom; ///< null for the constant term
};
} // namespace

static void collectTerms(AffineExpr expr, int64_t factor, SmallVectorImpl<Term> &terms) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    terms.push_back({factor * constant.getValue(), {}});
    return;
  }
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    if (binary.getKind() == AffineExprKind::Add) {
      collectTerms(binary.getLHS(), factor, terms);
      collectTerms(binary.getRHS(), factor, terms);
      return;
    }
    auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (binary.getKind() == AffineExprKind::Mul && constant) {
      collectTerms(binary.getLHS(), factor * constant.getValue(), terms);
      return;
    }
  }
  terms.push_back({factor, expr});
}

/// The largest value, or null if it is unknown.
static std::optional<int64_t> upperBound(AffineExpr expr, ArrayRef<int64_t> extents) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() >= extents.size() || ShapedType::isDynamic(extents[dim.getPosition()]))
      return std::nullopt;
    return extents[dim.getPosition()] - 1;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || !isNonNegative(expr))
    return std::nullopt;
  auto left = upperBound(binary.getLHS(), extents), right = upperBound(binary.getRHS(), extents);
  if (binary.getKind() == AffineExprKind::Mod && right)
    return left ? std::min(*left, *right - 1) : *right - 1;
  if (!left || !right)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::FloorDiv)
    return *left / *right;
  return binary.getKind() == AffineExprKind::Add ? *left + *right : *left * *right;
}

AffineExpr simplifySubscript(AffineExpr expr, ArrayRef<int64_t> extents) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr left = simplifySubscript(binary.getLHS(), extents), right = simplifySubscript(binary.getRHS(), extents);
  bool isMod = binary.getKind() == AffineExprKind::Mod, isDiv = binary.getKind() == AffineExprKind::FloorDiv;
  auto divisor = dyn_cast<AffineConstantExpr>(right);
  if (!(isMod || isDiv) || !divisor || divisor.getValue() <= 0)
    return getAffineBinaryOpExpr(binary.getKind(), left, right);
  int64_t by = divisor.getValue();
  SmallVector<Term> terms;
  collectTerms(left, 1, terms);
  AffineExpr quotient = getAffineConstantExpr(0, expr.getContext()), rest = quotient;
  for (Term term : terms) {
    AffineExpr atom = term.atom ? term.atom : getAffineConstantExpr(1, expr.getContext());
    if (term.factor % by == 0)
      quotient = quotient + atom * (term.factor / by);
    else
      rest = rest + atom * term.factor;
  }
  auto bound = isNonNegative(rest) ? upperBound(rest, extents) : std::nullopt;
  bool fits = bound && *bound < by;
  if (isMod)
    return fits ? rest : rest % by;
  return fits ? quotient : quotient + rest.floorDiv(by);
}

//===-------------------------------------------- writing -----------------------------------------------------===//

Value writeSubscript(OpBuilder &builder, Location location, AffineExpr expr, ValueRange dims, ValueRange symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(builder, location, constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value left = writeSubscript(builder, location, binary.getLHS(), dims, symbols);
  if (binary.getKind() == AffineExprKind::Add) {
    // Prints a + b * -1 as a difference.
    auto product = dyn_cast<AffineBinaryOpExpr>(binary.getRHS());
    auto factor = product && product.getKind() == AffineExprKind::Mul ? dyn_cast<AffineConstantExpr>(product.getRHS())
                                                                      : AffineConstantExpr();
    if (factor && factor.getValue() == -1) {
      Value right = writeSubscript(builder, location, product.getLHS(), dims, symbols);
      return arith::SubIOp::create(builder, location, left, right);
    }
  }
  Value right = writeSubscript(builder, location, binary.getRHS(), dims, symbols);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, location, left, right);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, location, left, right);
  case AffineExprKind::Mod:
    return arith::RemSIOp::create(builder, location, left, right);
  default:
    return arith::FloorDivSIOp::create(builder, location, left, right);
  }
}

} // namespace attnc
