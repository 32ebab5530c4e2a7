#include "compiler/Raise/PairFormula.h"
#include "compiler/Analysis/Subscripts.h"
#include "compiler/Raise/NormalisedScore.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

using Expr = ElementExprs::Expr;
using Kind = ElementExpr::Kind;

//===-------------------------------------------- masks -------------------------------------------------------===//

static bool isMinusInfinity(ElementExprs &exprs, Expr expr) {
  auto number = constantValue(exprs.open(expr));
  return number && *number == -std::numeric_limits<double>::infinity();
}

/// Ops between a score and its mask.
static constexpr unsigned deepestMask = 8;

/// A sum or a product of which one of `sides` may be -inf: then so is the whole.
static MaskedScore splitOperands(ElementExprs &exprs, Expr whole, unsigned depth, ArrayRef<unsigned> sides) {
  MaskedScore result;
  SmallVector<Expr> operands(whole->operands);
  for (unsigned side : sides) {
    MaskedScore part = splitMask(exprs, operands[side], depth + 1);
    if (part.conditions.empty())
      continue;
    operands[side] = part.score;
    result.conditions.append(part.conditions);
  }
  result.score = result.conditions.empty() ? whole : exprs.scalar(whole->op, operands);
  if (scalarOp<arith::AddFOp>(whole))
    for (unsigned side : {0u, 1u})
      if (constantValue(exprs.open(operands[side])) == 0.0)
        result.score = operands[1 - side];
  return result;
}

MaskedScore splitMask(ElementExprs &exprs, Expr score, unsigned depth) {
  Expr whole = exprs.open(score);
  if (depth == deepestMask)
    return {score, {}};
  if (scalarOp<arith::SelectOp>(whole))
    for (unsigned side : {1u, 2u})
      if (isMinusInfinity(exprs, whole->operands[side])) {
        MaskedScore rest = splitMask(exprs, whole->operands[3 - side], depth + 1);
        rest.conditions.push_back({whole->operands[0], side == 1});
        return rest;
      }
  if (scalarOp<arith::AddFOp>(whole))
    return splitOperands(exprs, whole, depth, {0, 1});
  if (scalarOp<arith::SubFOp>(whole))
    return splitOperands(exprs, whole, depth, {0});
  auto isPositive = [&](Expr factor) { return constantValue(exprs.open(factor)).value_or(0) > 0; };
  if (scalarOp<arith::DivFOp>(whole) && isPositive(whole->operands[1]))
    return splitOperands(exprs, whole, depth, {0});
  if (scalarOp<arith::MulFOp>(whole))
    for (unsigned side : {0u, 1u})
      if (isPositive(whole->operands[1 - side]))
        return splitOperands(exprs, whole, depth, {side});
  return {score, {}};
}

//===-------------------------------------------- regions -----------------------------------------------------===//

void PairFormulas::setPairs(ArrayRef<unsigned> ofQueries, ArrayRef<unsigned> ofKeys) {
  queries.assign(ofQueries.begin(), ofQueries.end());
  keys.assign(ofKeys.begin(), ofKeys.end());
}

void PairFormulas::bind(ArrayRef<unsigned> variables, ValueRange values) {
  indices.resize(std::max<size_t>(indices.size(), exprs.count()));
  for (auto [variable, value] : llvm::zip_equal(variables, values))
    indices[variable] = value;
}

void PairFormulas::write(Region &region, ArrayRef<unsigned> variables, llvm::function_ref<Value()> body) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types(variables.size(), builder.getIndexType());
  Block *block = builder.createBlock(&region, region.end(), types, SmallVector<Location>(types.size(), location));
  known.clear();
  bind(variables, block->getArguments());
  attn::YieldOp::create(builder, location, body());
}

void PairFormulas::writeWeight(Region &region, ArrayRef<unsigned> variables, Expr normalised, Expr weight) {
  write(region, variables, [&] {
    Block *block = builder.getInsertionBlock();
    known[normalised] = block->insertArgument(0u, builder.getF32Type(), location);
    return emit(weight);
  });
}

//===-------------------------------------------- formulas ----------------------------------------------------===//

Value PairFormulas::give(Type type) {
  hasFailed = true;
  return arith::ConstantOp::create(builder, location, cast<TypedAttr>(builder.getZeroAttr(type)));
}

Value PairFormulas::subscript(AffineExpr expr) {
  for (unsigned number = 0; number < indices.size(); ++number)
    if (!indices[number] && expr.isFunctionOfDim(number))
      return give(builder.getIndexType());
  return writeSubscript(builder, location, expr, indices, {});
}

Value PairFormulas::emitElement(Expr element) {
  SmallVector<Value> subscripts;
  for (AffineExpr expr : element->subscripts)
    subscripts.push_back(subscript(expr));
  return tensor::ExtractOp::create(builder, location, element->tensor, subscripts);
}

Value PairFormulas::emitReduction(Expr reduction) {
  Type type = cast<RankedTensorType>(reduction->op->getResult(0).getType()).getElementType();
  if (type.isInteger(1))
    return give(type); // attn.reduce combines numbers
  SmallVector<Value> extents = sizes(reduction->variables);
  auto reduce = attn::ReduceOp::create(builder, location, type, reduction->combine, extents);
  auto before = std::exchange(known, llvm::DenseMap<Expr, Value>());
  write(reduce.getBody(), reduction->variables, [&] { return emit(reduction->operands[0]); });
  known = std::move(before);
  return reduce;
}

/// A number from outside is computed again inside, from sizes and elements.
Value PairFormulas::emitOutside(Value value) {
  Operation *op = value.getDefiningOp();
  if (value.getType().isIndex())
    return value;
  bool isFormula = op && isPure(op) && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
                   (isa<tensor::ExtractOp>(op) || isa<arith::ArithDialect, math::MathDialect>(op->getDialect()));
  if (!isFormula)
    return give(value.getType());
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<TensorType>(operand.getType()) ? operand : emitOutside(operand));
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  return copy->getResult(0);
}

Value PairFormulas::emit(Expr expr) {
  Expr opened = exprs.open(expr);
  bool dependsOnPairs = exprs.dependsOn(expr, queries) && exprs.dependsOn(expr, keys);
  bool isConstant = opened->kind == Kind::Scalar && opened->operands.empty();
  Expr whole = dependsOnPairs || isConstant ? opened : expr;
  if (Value found = known.lookup(whole))
    return found;
  Value made;
  switch (whole->kind) {
  case Kind::Element:
    made = emitElement(whole);
    break;
  case Kind::Index:
    made = subscript(whole->subscripts[0]);
    break;
  case Kind::Scalar: {
    SmallVector<Value> operands;
    for (Expr operand : whole->operands)
      operands.push_back(emit(operand));
    Operation *copy = builder.clone(*whole->op);
    copy->setOperands(operands);
    made = copy->getResult(0);
    break;
  }
  case Kind::Reduce:
    made = emitReduction(whole);
    break;
  case Kind::Outside:
    made = emitOutside(whole->tensor);
    break;
  case Kind::Opaque:
    return give(builder.getF32Type());
  }
  return known[whole] = made;
}

Value PairFormulas::emitConditions(ArrayRef<Condition> conditions) {
  Value all;
  for (const Condition &condition : conditions) {
    Value holds = emit(condition.expr);
    if (condition.isOpposite)
      holds = arith::XOrIOp::create(builder, location, holds,
                                    arith::ConstantOp::create(builder, location, builder.getBoolAttr(true)));
    all = all ? arith::AndIOp::create(builder, location, all, holds).getResult() : holds;
  }
  return all;
}

Value PairFormulas::emitProduct(ArrayRef<Expr> factors) {
  Value product;
  for (Expr factor : factors) {
    Value value = emit(factor);
    product = product ? arith::MulFOp::create(builder, location, product, value).getResult() : value;
  }
  return product;
}

} // namespace attnc
