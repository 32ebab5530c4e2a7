#include "frontends/attn/Import/Contractions.h"

#include "frontends/attn/Import/Formula.h"
#include "frontends/attn/Import/Reshapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace attnc {

using namespace typed;

static bool isArgument(Combiner combiner) { return combiner == Combiner::ArgMax || combiner == Combiner::ArgMin; }

SmallVector<Value> reductionStart(OpBuilder &builder, ImportScopes &scopes, Combiner combiner, Element element,
                                  const Shape &shape, Location at) {
  SmallVector<Value> start = {scopes.filled(identity(builder, at, combiner, element), element, shape, at)};
  if (isArgument(combiner)) {
    Value zero = constant(builder, at, Element::I32, {});
    start.push_back(scopes.filled(zero, Element::I32, shape, at));
  }
  return start;
}

void yieldReduced(OpBuilder &builder, Combiner combiner, Element element, Value term, ValueRange soFar, unsigned loop,
                  Location at) {
  if (!isArgument(combiner)) {
    linalg::YieldOp::create(builder, at, combine(builder, at, combiner, element, soFar[0], term));
    return;
  }
  // Only a better term replaces the best one so far, so the lowest index is chosen. A NaN never replaces it.
  bool isMax = combiner == Combiner::ArgMax;
  Value better = element == Element::F32
                     ? arith::CmpFOp::create(builder, at, isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT,
                                             term, soFar[0])
                           .getResult()
                     : arith::CmpIOp::create(builder, at, isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt,
                                             term, soFar[0])
                           .getResult();
  Value index = castTo(builder, at, Element::Index, Element::I32, linalg::IndexOp::create(builder, at, loop));
  Value best = arith::SelectOp::create(builder, at, better, term, soFar[0]);
  Value bestIndex = arith::SelectOp::create(builder, at, better, index, soFar[1]);
  linalg::YieldOp::create(builder, at, ValueRange{best, bestIndex});
}

Value importAxisReduction(OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes, const Expr &expr,
                          Value source) {
  const AxisReduction &node = std::get<AxisReduction>(expr.node);
  Location at = types.location(expr.range);
  Element element = node.source->type.element;
  unsigned rank = node.source->type.rank();
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  for (unsigned axis : node.axes)
    iterators[axis] = utils::IteratorType::reduction;
  SmallVector<AffineExpr> kept;
  for (unsigned i = 0; i < rank; ++i)
    if (iterators[i] == utils::IteratorType::parallel)
      kept.push_back(builder.getAffineDimExpr(i));
  SmallVector<Value> start = reductionStart(builder, scopes, node.combiner, element, expr.type.shape, at);
  SmallVector<AffineMap> maps = {builder.getMultiDimIdentityMap(rank)};
  maps.append(start.size(), AffineMap::get(rank, 0, kept, builder.getContext()));
  auto generic = linalg::GenericOp::create(builder, at, ValueRange(start).getTypes(), source, start, maps, iterators,
                                           [&](OpBuilder &, Location, ValueRange arguments) {
                                             yieldReduced(builder, node.combiner, element, arguments[0],
                                                          arguments.drop_front(), node.axes[0], at);
                                           });
  return generic->getResults().back();
}

/// The map of one side of a matrix product, whose last two dimensions (or only one) are `own`; the ones before are
/// broadcast to `batch`.
static TensorOperand factor(OpBuilder &builder, const ImportTypes &types, Value value, ExprRef expr,
                            ArrayRef<AffineExpr> own, const Shape &batch, unsigned loops) {
  const Shape &shape = expr->type.shape;
  size_t leading = shape.size() - own.size();
  llvm::SmallBitVector repeated(shape.size());
  SmallVector<AffineExpr> read;
  for (size_t i = 0; i < leading; ++i) {
    size_t dimension = batch.size() - leading + i;
    if (shape[i].is(1) && !batch[dimension].is(1))
      repeated.set(i);
    else
      read.push_back(builder.getAffineDimExpr(dimension));
  }
  read.append(own.begin(), own.end());
  value = dropDimensions(builder, types, value, expr->type.element, shape, repeated, types.location(expr->range));
  return {value, AffineMap::get(loops, 0, read, builder.getContext())};
}

/// Loops: batch..., rows, columns, depth, without rows or columns if that side has rank 1.
Value importMatMul(OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes, const Expr &expr,
                   llvm::function_ref<Value(ExprRef)> tensor) {
  const MatMul &node = std::get<MatMul>(expr.node);
  Location at = types.location(expr.range);
  Element element = expr.type.element;
  unsigned outer = expr.type.rank();
  bool hasRows = node.a->type.rank() > 1, hasColumns = node.b->type.rank() > 1;
  Shape batch(expr.type.shape.begin(), expr.type.shape.end() - hasRows - hasColumns);
  AffineExpr depth = builder.getAffineDimExpr(outer);
  AffineExpr rows = builder.getAffineDimExpr(batch.size());
  AffineExpr columns = builder.getAffineDimExpr(outer - 1);
  using Dims = SmallVector<AffineExpr>;
  TensorOperand a =
      factor(builder, types, tensor(node.a), node.a, hasRows ? Dims{rows, depth} : Dims{depth}, batch, outer + 1);
  TensorOperand b =
      factor(builder, types, tensor(node.b), node.b, hasColumns ? Dims{depth, columns} : Dims{depth}, batch, outer + 1);
  SmallVector<Value> start = reductionStart(builder, scopes, Combiner::Add, element, expr.type.shape, at);
  SmallVector<utils::IteratorType> iterators(outer, utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  Dims all;
  for (unsigned i = 0; i < outer; ++i)
    all.push_back(builder.getAffineDimExpr(i));
  SmallVector<AffineMap> maps = {a.map, b.map, AffineMap::get(outer + 1, 0, all, builder.getContext())};
  auto generic = linalg::GenericOp::create(
      builder, at, start[0].getType(), {a.value, b.value}, start, maps, iterators,
      [&](OpBuilder &, Location, ValueRange arguments) {
        Value term = combine(builder, at, Combiner::Mul, element, arguments[0], arguments[1]);
        linalg::YieldOp::create(builder, at, combine(builder, at, Combiner::Add, element, arguments[2], term));
      });
  return generic.getResult(0);
}

} // namespace attnc
