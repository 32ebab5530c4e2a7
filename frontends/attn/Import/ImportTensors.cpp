// Tensor expressions: operators on every element, and what moves elements.

#include "frontends/attn/Import/Importer.h"

#include "dialects/Model/Model.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace attnc {

using namespace typed;

Value Importer::find(ExprRef expr) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (Value value = scope->values.lookup(expr))
      return value;
  return {};
}

/// The value of a tensor expression. Like sizes, it is computed in front of the op whose body is being built.
Value Importer::tensor(ExprRef expr) {
  if (Value value = find(expr))
    return value;
  OpBuilder::InsertionGuard guard(builder);
  if (bodyOwner)
    builder.setInsertionPoint(bodyOwner);
  Operation *outer = std::exchange(bodyOwner, nullptr);
  Value value = compute(expr);
  bodyOwner = outer;
  scopes.back().values[expr] = value;
  return value;
}

/// What a tensor of such elements holds: indices lie in memory as i32.
static Element stored(Element element) { return element == Element::Index ? Element::I32 : element; }

Value Importer::compute(ExprRef expr) {
  if (isNumber(expr)) {
    Location at = location(expr->range);
    Element element = expr->type.element;
    return filled(castTo(builder, at, element, stored(element), number(expr)), stored(element), {}, at);
  }
  if (auto *local = expr->as<LocalRef>())
    return locals.lookup(local->local);
  if (expr->as<ParameterRef>())
    return parameterValue(*expr);
  if (expr->as<Elementwise>() || expr->as<Cast>())
    return pointwise(*expr);
  if (expr->as<AxisReduction>())
    return axisReduction(*expr);
  if (expr->as<MatMul>())
    return matMul(*expr);
  if (expr->as<Permute>())
    return permute(*expr);
  if (expr->as<Reshape>())
    return reshape(*expr);
  if (expr->as<Slice>())
    return slice(*expr);
  if (expr->as<Concat>())
    return concat(*expr);
  if (expr->as<Fill>())
    return fill(*expr);
  if (expr->as<Comprehension>())
    return comprehension(*expr);
  llvm_unreachable("a tensor expression");
}

//===- Numbers ----------------------------------------------------------------------------------------------------===//

bool Importer::isNumber(ExprRef expr) const {
  if (!expr->type.shape.empty())
    return false;
  if (expr->as<Constant>() || expr->as<DimValue>() || expr->as<StepRef>())
    return true;
  if (auto *local = expr->as<LocalRef>())
    return numbers.count(local->local);
  if (auto *cast = expr->as<Cast>())
    return isNumber(cast->operand);
  auto *node = expr->as<Elementwise>();
  return node && llvm::all_of(node->operands, [&](ExprRef operand) { return isNumber(operand); });
}

/// Computes the sizes in a number where the builder stands, for use in bodies below.
void Importer::computeSizes(ExprRef expr) {
  if (auto *node = expr->as<DimValue>())
    size(node->dim, location(expr->range));
  else if (auto *cast = expr->as<Cast>())
    computeSizes(cast->operand);
  else if (auto *local = expr->as<LocalRef>())
    computeSizes(numbers.lookup(local->local));
  else if (auto *node = expr->as<Elementwise>())
    for (ExprRef operand : node->operands)
      computeSizes(operand);
}

/// The scalar of a number, where the builder stands.
Value Importer::number(ExprRef expr) {
  if (auto *local = expr->as<LocalRef>())
    return number(numbers.lookup(local->local));
  Location at = location(expr->range);
  if (auto *node = expr->as<Constant>())
    return constant(builder, at, expr->type.element, *node);
  if (auto *node = expr->as<DimValue>())
    return size(node->dim, at);
  if (auto *node = expr->as<StepRef>())
    return counter(node->counter);
  if (auto *cast = expr->as<Cast>())
    return castTo(builder, at, cast->operand->type.element, expr->type.element, number(cast->operand));
  SmallVector<Value> operands;
  for (ExprRef operand : std::get<Elementwise>(expr->node).operands)
    operands.push_back(number(operand));
  return operation(builder, at, *expr, operands);
}

Value Importer::counter(const LoopCounter *loop) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (Value index = scope->counters.lookup(loop))
      return index;
  return {};
}

Value Importer::parameterValue(const Expr &expr) {
  const ParameterRef &node = std::get<ParameterRef>(expr.node);
  Location at = location(expr.range);
  SmallVector<Value> picks;
  for (const ParameterRef::Pick &pick : node.picks) {
    Value index = pick.counter ? counter(pick.counter) : Value();
    picks.push_back(index ? index : size(Dim(pick.constant), at));
  }
  return model::GetOp::create(builder, at, tensorType(node.parameter->type), node.parameter->name, picks);
}

//===- Pointwise --------------------------------------------------------------------------------------------------===//

/// Dimensions of 1 that are repeated are dropped, so that the map is a projected permutation.
Importer::Operand Importer::broadcast(ExprRef expr, const Shape &shape, unsigned loops) {
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
  Value value = withoutDimensions(tensor(expr), expr->type.element, own, repeated, location(expr->range));
  return {value, AffineMap::get(loops, 0, read, builder.getContext())};
}

Value Importer::pointwise(const Expr &expr) {
  Location at = location(expr.range);
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
    Operand operand = broadcast(source, shape, shape.size());
    inputs.push_back(operand.value);
    maps.push_back(operand.map);
  }
  maps.push_back(builder.getMultiDimIdentityMap(shape.size()));
  Value out = empty(expr.type.element, shape, at);
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

Value Importer::permute(const Expr &expr) {
  const Permute &node = std::get<Permute>(expr.node);
  Location at = location(expr.range);
  Value source = tensor(node.source);
  SmallVector<int64_t> permutation(node.permutation.begin(), node.permutation.end());
  Value out = empty(expr.type.element, expr.type.shape, at);
  return linalg::TransposeOp::create(builder, at, source, out, permutation).getResult()[0];
}

Value Importer::slice(const Expr &expr) {
  const Slice &node = std::get<Slice>(expr.node);
  Location at = location(expr.range);
  SmallVector<OpFoldResult> strides(node.offsets.size(), builder.getIndexAttr(1));
  Value source = tensor(node.source);
  return tensor::ExtractSliceOp::create(builder, at, tensorType(expr.type), source, mixedSizes(node.offsets, at),
                                        mixedSizes(expr.type.shape, at), strides);
}

Value Importer::concat(const Expr &expr) {
  const Concat &node = std::get<Concat>(expr.node);
  SmallVector<Value> parts;
  for (ExprRef part : node.parts)
    parts.push_back(tensor(part));
  return tensor::ConcatOp::create(builder, location(expr.range), tensorType(expr.type), node.axis, parts);
}

Value Importer::fill(const Expr &expr) {
  ExprRef value = std::get<Fill>(expr.node).value;
  Location at = location(expr.range);
  const Shape &shape = expr.type.shape;
  if (isNumber(value))
    return filled(number(value), expr.type.element, shape, at);
  Operand operand = broadcast(value, shape, shape.size());
  Value out = empty(expr.type.element, shape, at);
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  SmallVector<AffineMap> maps = {operand.map, builder.getMultiDimIdentityMap(shape.size())};
  auto generic = linalg::GenericOp::create(
      builder, at, out.getType(), operand.value, out, maps, iterators,
      [&](OpBuilder &, Location, ValueRange arguments) { linalg::YieldOp::create(builder, at, arguments[0]); });
  return generic.getResult(0);
}

} // namespace attnc
