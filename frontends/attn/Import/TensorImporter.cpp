#include "frontends/attn/Import/TensorImporter.h"

#include "dialects/Model/Model.h"
#include "frontends/attn/Import/Contractions.h"
#include "frontends/attn/Import/Reshapes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace attnc {

using namespace typed;

Value TensorImporter::tensor(ExprRef expr) {
  if (Value value = scopes.find(expr))
    return value;
  OpBuilder::InsertionGuard guard(builder);
  scopes.setInsertionPointOutside();
  Operation *outer = scopes.exchangeBody(nullptr);
  Value value = compute(expr);
  scopes.exchangeBody(outer);
  scopes.record(expr, value);
  return value;
}

/// The element type in memory, where indices are i32.
static Element stored(Element element) { return element == Element::Index ? Element::I32 : element; }

Value TensorImporter::compute(ExprRef expr) {
  if (isNumber(expr)) {
    Location at = types.location(expr->range);
    Element element = expr->type.element;
    return scopes.filled(castTo(builder, at, element, stored(element), number(expr)), stored(element), {}, at);
  }
  if (auto *local = expr->as<LocalRef>())
    return scopes.value(local->local);
  if (expr->as<ParameterRef>())
    return parameterValue(*expr);
  if (expr->as<Elementwise>() || expr->as<Cast>())
    return pointwise(*expr);
  if (expr->as<AxisReduction>())
    return importAxisReduction(builder, types, scopes, *expr, tensor(expr->as<AxisReduction>()->source));
  if (expr->as<MatMul>())
    return importMatMul(builder, types, scopes, *expr, [&](ExprRef operand) { return tensor(operand); });
  if (expr->as<Permute>())
    return permute(*expr);
  if (expr->as<Reshape>())
    return importReshape(builder, types, scopes, *expr, tensor(expr->as<Reshape>()->source));
  if (expr->as<Slice>())
    return slice(*expr);
  if (expr->as<Concat>())
    return concat(*expr);
  if (expr->as<Fill>())
    return fill(*expr);
  if (auto *node = expr->as<Variable>())
    return attn::VariableOp::create(builder, types.location(expr->range), tensor(node->source), variables++);
  if (auto *node = expr->as<Gradient>())
    return attn::GradientOp::create(builder, types.location(expr->range), tensor(node->value), tensor(node->variable));
  if (expr->as<Comprehension>())
    return indexing.comprehension(*expr);
  llvm_unreachable("a tensor expression");
}

//===- Numbers ----------------------------------------------------------------------------------------------------===//

bool TensorImporter::isNumber(ExprRef expr) const {
  if (!expr->type.shape.empty())
    return false;
  if (expr->as<Constant>() || expr->as<DimValue>() || expr->as<StepRef>())
    return true;
  if (auto *local = expr->as<LocalRef>())
    return scopes.number(local->local) != nullptr;
  if (auto *cast = expr->as<Cast>())
    return isNumber(cast->operand);
  auto *node = expr->as<Elementwise>();
  return node && llvm::all_of(node->operands, [&](ExprRef operand) { return isNumber(operand); });
}

void TensorImporter::computeSizes(ExprRef expr) {
  if (auto *node = expr->as<DimValue>())
    scopes.size(node->dim, types.location(expr->range));
  else if (auto *cast = expr->as<Cast>())
    computeSizes(cast->operand);
  else if (auto *local = expr->as<LocalRef>())
    computeSizes(scopes.number(local->local));
  else if (auto *node = expr->as<Elementwise>())
    for (ExprRef operand : node->operands)
      computeSizes(operand);
}

Value TensorImporter::number(ExprRef expr) {
  if (auto *local = expr->as<LocalRef>())
    return number(scopes.number(local->local));
  Location at = types.location(expr->range);
  if (auto *node = expr->as<Constant>())
    return constant(builder, at, expr->type.element, *node);
  if (auto *node = expr->as<DimValue>())
    return scopes.size(node->dim, at);
  if (auto *node = expr->as<StepRef>())
    return scopes.counter(node->counter);
  if (auto *cast = expr->as<Cast>())
    return castTo(builder, at, cast->operand->type.element, expr->type.element, number(cast->operand));
  SmallVector<Value> operands;
  for (ExprRef operand : std::get<Elementwise>(expr->node).operands)
    operands.push_back(number(operand));
  return operation(builder, at, *expr, operands);
}

Value TensorImporter::parameterValue(const Expr &expr) {
  const ParameterRef &node = std::get<ParameterRef>(expr.node);
  Location at = types.location(expr.range);
  SmallVector<Value> picks;
  for (const ParameterRef::Pick &pick : node.picks) {
    Value index = pick.counter ? scopes.counter(pick.counter) : Value();
    picks.push_back(index ? index : scopes.size(Dim(pick.constant), at));
  }
  return model::GetOp::create(builder, at, types.tensorType(node.parameter->type), node.parameter->name, picks);
}

//===- Pointwise --------------------------------------------------------------------------------------------------===//

/// Dimensions of 1 that are repeated are dropped, so that the map is a projected permutation.
TensorOperand TensorImporter::broadcast(ExprRef expr, const Shape &shape, unsigned loops) {
  const Shape &own = expr->type.shape;
  llvm::SmallBitVector repeated(own.size());
  SmallVector<AffineExpr> read;
  for (size_t i = 0; i < own.size(); ++i) {
    size_t dimension = shape.size() - own.size() + i;
    if (own[i].is(1) && !shape[dimension].is(1))
      repeated.set(i);
    else
      read.push_back(builder.getAffineDimExpr(dimension));
  }
  Value value =
      dropDimensions(builder, types, tensor(expr), expr->type.element, own, repeated, types.location(expr->range));
  return {value, AffineMap::get(loops, 0, read, builder.getContext())};
}

Value TensorImporter::pointwise(const Expr &expr) {
  Location at = types.location(expr.range);
  const Shape &shape = expr.type.shape;
  auto *node = expr.as<Elementwise>();
  SmallVector<ExprRef> sources = node ? SmallVector<ExprRef>(node->operands.begin(), node->operands.end())
                                      : SmallVector<ExprRef>{std::get<Cast>(expr.node).operand};
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<int> inputOf; // the operand of each source; -1 for a number
  for (ExprRef source : sources) {
    inputOf.push_back(isNumber(source) ? -1 : static_cast<int>(inputs.size()));
    if (inputOf.back() < 0) {
      computeSizes(source);
      continue;
    }
    TensorOperand operand = broadcast(source, shape, shape.size());
    inputs.push_back(operand.value);
    maps.push_back(operand.map);
  }
  maps.push_back(builder.getMultiDimIdentityMap(shape.size()));
  Value out = scopes.empty(expr.type.element, shape, at);
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, at, out.getType(), inputs, out, maps, iterators, [&](OpBuilder &, Location, ValueRange arguments) {
        SmallVector<Value> operands;
        for (auto [source, input] : llvm::zip_equal(sources, inputOf)) {
          Element element = source->type.element;
          operands.push_back(input < 0 ? number(source)
                                       : castTo(builder, at, stored(element), element, arguments[input]));
        }
        Element element = expr.type.element;
        Value result = node ? operation(builder, at, expr, operands)
                            : castTo(builder, at, sources[0]->type.element, element, operands[0]);
        linalg::YieldOp::create(builder, at, castTo(builder, at, element, stored(element), result));
      });
  return generic.getResult(0);
}

//===- Moving elements --------------------------------------------------------------------------------------------===//

Value TensorImporter::permute(const Expr &expr) {
  const Permute &node = std::get<Permute>(expr.node);
  Location at = types.location(expr.range);
  Value source = tensor(node.source);
  SmallVector<int64_t> permutation(node.permutation.begin(), node.permutation.end());
  Value out = scopes.empty(expr.type.element, expr.type.shape, at);
  return linalg::TransposeOp::create(builder, at, source, out, permutation).getResult()[0];
}

Value TensorImporter::slice(const Expr &expr) {
  const Slice &node = std::get<Slice>(expr.node);
  Location at = types.location(expr.range);
  SmallVector<OpFoldResult> strides(node.offsets.size(), builder.getIndexAttr(1));
  Value source = tensor(node.source);
  return tensor::ExtractSliceOp::create(builder, at, types.tensorType(expr.type), source,
                                        scopes.mixedSizes(node.offsets, at), scopes.mixedSizes(expr.type.shape, at),
                                        strides);
}

Value TensorImporter::concat(const Expr &expr) {
  const Concat &node = std::get<Concat>(expr.node);
  SmallVector<Value> parts;
  for (ExprRef part : node.parts)
    parts.push_back(tensor(part));
  return tensor::ConcatOp::create(builder, types.location(expr.range), types.tensorType(expr.type), node.axis, parts);
}

Value TensorImporter::fill(const Expr &expr) {
  ExprRef value = std::get<Fill>(expr.node).value;
  Location at = types.location(expr.range);
  const Shape &shape = expr.type.shape;
  if (isNumber(value))
    return scopes.filled(number(value), expr.type.element, shape, at);
  TensorOperand operand = broadcast(value, shape, shape.size());
  Value out = scopes.empty(expr.type.element, shape, at);
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  SmallVector<AffineMap> maps = {operand.map, builder.getMultiDimIdentityMap(shape.size())};
  auto generic = linalg::GenericOp::create(
      builder, at, out.getType(), operand.value, out, maps, iterators,
      [&](OpBuilder &, Location, ValueRange arguments) { linalg::YieldOp::create(builder, at, arguments[0]); });
  return generic.getResult(0);
}

} // namespace attnc
