#include "frontends/attn/Import/Formula.h"

#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

namespace attnc {

using namespace typed;

static bool dependsOnStep(ExprRef expr) {
  if (auto *cast = expr->as<Cast>())
    return dependsOnStep(cast->operand);
  auto *node = expr->as<Elementwise>();
  return expr->as<StepRef>() || (node && llvm::any_of(node->operands, dependsOnStep));
}

static bool usesStepsAndSizesAlone(ExprRef expr) {
  if (auto *cast = expr->as<Cast>())
    return usesStepsAndSizesAlone(cast->operand);
  auto *node = expr->as<Elementwise>();
  return expr->as<StepRef>() || expr->as<Constant>() || expr->as<DimValue>() ||
         (node && llvm::all_of(node->operands, usesStepsAndSizesAlone));
}

bool isStepNumber(ExprRef expr) { return dependsOnStep(expr) && usesStepsAndSizesAlone(expr); }

unsigned stepSubscript(const Subscript &subscript) {
  for (auto [position, index] : llvm::enumerate(subscript.indices))
    if (subscript.inRange[position] == InRange::Proved && isStepNumber(index))
      return position;
  return subscript.indices.size();
}

Value Formula::find(ExprRef expr) const {
  for (const Formula *formula = this; formula; formula = formula->outer)
    if (Value value = formula->known.lookup(expr))
      return value;
  return {};
}

Value Formula::find(const Index *index) const {
  for (const Formula *formula = this; formula; formula = formula->outer)
    if (Value value = formula->indices.lookup(index))
      return value;
  return {};
}

Value Formula::find(const Local *local) const {
  for (const Formula *formula = this; formula; formula = formula->outer)
    if (Value value = formula->scalars.lookup(local))
      return value;
  return {};
}

Value Formula::value(ExprRef expr) {
  if (Value value = find(expr))
    return value;
  Value value = compute(*expr);
  known[expr] = value;
  return value;
}

Value Formula::compute(const Expr &expr) {
  Location at = around.location(expr.range);
  if (auto *node = expr.as<Constant>())
    return constant(builder, at, expr.type.element, *node);
  if (auto *node = expr.as<DimValue>())
    return around.size(node->dim, at);
  if (auto *node = expr.as<StepRef>())
    return around.counter(node->counter);
  if (auto *node = expr.as<IndexRef>())
    return find(node->index);
  if (auto *node = expr.as<Cast>())
    return castTo(builder, at, node->operand->type.element, expr.type.element, value(node->operand));
  if (expr.as<Subscript>())
    return subscript(expr);
  if (expr.as<IndexReduction>())
    return reduce(expr);
  if (expr.as<Draw>())
    return draw(expr);
  if (auto *node = expr.as<LocalRef>()) {
    if (Value scalar = find(node->local))
      return scalar;
    return tensor::ExtractOp::create(builder, at, around.tensor(&expr), ValueRange{});
  }
  if (auto *node = expr.as<Elementwise>()) {
    SmallVector<Value> operands;
    for (ExprRef operand : node->operands)
      operands.push_back(value(operand));
    return operation(builder, at, expr, operands);
  }
  llvm_unreachable("an element expression");
}

/// Returns a subscript that the checker has not proved to be in range, with its last operation in i32. Emitters check
/// subscripts of 32-bit arithmetic at run time (compiler/Analysis/DataSubscripts.h).
Value Formula::checkedAtRunTime(Value subscript) {
  Operation *op = subscript.getDefiningOp();
  if (!op || isa<arith::IndexCastOp, arith::ConstantOp>(op) || op->getNumOperands() == 0)
    return subscript;
  auto narrowed = [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, op->getLoc(), builder.getI32Type(), index);
  };
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(operand.getType().isIndex() ? narrowed(operand) : operand);
  OperationState state(op->getLoc(), op->getName(), operands, builder.getI32Type(), op->getAttrs());
  return arith::IndexCastOp::create(builder, op->getLoc(), builder.getIndexType(), builder.create(state)->getResult(0));
}

Value Formula::subscript(const Expr &expr) {
  const Subscript &node = std::get<Subscript>(expr.node);
  unsigned step = stepSubscript(node);
  SmallVector<Value> at;
  SmallVector<int64_t> unproved;
  for (auto [dimension, index] : llvm::enumerate(node.indices)) {
    if (dimension == step)
      continue;
    bool isUnproved = node.inRange[dimension] == InRange::Runtime;
    if (isUnproved)
      unproved.push_back(int64_t(at.size()));
    at.push_back(isUnproved ? checkedAtRunTime(value(index)) : value(index));
  }
  Value base = step < node.indices.size() ? around.step(node.base, step, node.indices[step]) : around.tensor(node.base);
  auto element = tensor::ExtractOp::create(builder, around.location(expr.range), base, at);
  if (!unproved.empty())
    element->setAttr(attn::unprovedAttrName, builder.getDenseI64ArrayAttr(unproved));
  return element;
}

/// Rows are numbered modulo 2^32, as 32-bit numbers.
Value Formula::draw(const Expr &expr) {
  const Draw &node = std::get<Draw>(expr.node);
  Location at = around.location(expr.range);
  auto number = [&](ArrayRef<Value> places, ArrayRef<Value> sizes) {
    Value sum = arith::ConstantIndexOp::create(builder, at, 0);
    for (auto [position, place] : llvm::enumerate(places)) {
      Value scaled = position == 0 ? sum : arith::MulIOp::create(builder, at, sum, sizes[position]).getResult();
      sum = position == 0 ? place : arith::AddIOp::create(builder, at, scaled, place).getResult();
    }
    return arith::IndexCastOp::create(builder, at, builder.getI32Type(), sum).getResult();
  };
  SmallVector<Value> rounds, counts, element, extents;
  for (const LoopCounter *loop : node.loops) {
    rounds.push_back(around.counter(loop));
    counts.push_back(around.size(loop->count, at));
  }
  for (auto [index, dimension] : llvm::zip_equal(node.element, node.dimensions)) {
    element.push_back(value(index));
    extents.push_back(element.size() < node.element.size() ? around.size(dimension->extent, at) : Value());
  }
  Value place = number(rounds, counts), row, column;
  if (element.empty())
    column = number({}, {});
  else
    column = number(element.pop_back_val(), extents.pop_back_val());
  row = number(element, extents);
  return attn::UniformOp::create(builder, at, builder.getF32Type(), value(node.seed), value(node.step), place, row,
                                 column, static_cast<uint32_t>(node.site));
}

static attn::Combine combineOf(Combiner combiner) {
  switch (combiner) {
  case Combiner::Mul:
  case Combiner::And:
    return attn::Combine::Mul;
  case Combiner::Max:
  case Combiner::Or:
    return attn::Combine::Max;
  case Combiner::Min:
    return attn::Combine::Min;
  default:
    return attn::Combine::Add;
  }
}

/// `attn.reduce` combines numbers. Conditions are combined as 0 and 1, whose product is `and` and whose maximum is
/// `or`.
Value Formula::reduce(const Expr &expr) {
  const IndexReduction &node = std::get<IndexReduction>(expr.node);
  Location at = around.location(expr.range);
  bool isCondition = expr.type.element == Element::Bool;
  Element element = isCondition ? Element::F32 : expr.type.element;
  SmallVector<Value> sizes;
  for (const Index *index : node.indices)
    sizes.push_back(around.size(index->extent, at));
  mlir::Type type = element == Element::F32 ? mlir::Type(builder.getF32Type()) : builder.getI32Type();
  auto reduction = attn::ReduceOp::create(builder, at, type, combineOf(node.combiner), sizes);
  OpBuilder::InsertionGuard guard(builder);
  mlir::Block *block = builder.createBlock(&reduction.getBody());
  Formula body(builder, around, this);
  for (const Index *index : node.indices)
    body.bind(index, block->addArgument(builder.getIndexType(), around.location(index->range)));
  Value term = body.value(node.body);
  if (node.filter)
    term = arith::SelectOp::create(builder, at, body.value(node.filter), term,
                                   identity(builder, at, node.combiner, expr.type.element));
  attn::YieldOp::create(builder, at, castTo(builder, at, expr.type.element, element, term));
  builder.setInsertionPointAfter(reduction);
  return castTo(builder, at, element, expr.type.element, reduction.getResult());
}

} // namespace attnc
