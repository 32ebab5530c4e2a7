// Recurrences: an scf.for over the steps. What steps have of a tensor is an element of it with the steps in front
// (model.element), and what is of all steps is a list that each writes its element of (model.with_element):
//
//   scan t over seq carry (h = h0) { h = f(x[:, t], h) } -> h[:, t]
//
//   %xs = linalg.transpose x [1, 0, 2]
//   %h, %hs = scf.for %t = 0 to %seq iter_args(%h = %h0, %hs = tensor.empty) {
//     %x_t = model.element %xs[%t] ...  model.with_element %next into %hs[%t] ... }
//   %ys = linalg.transpose %hs [1, 0, 2]

#include "frontends/attn/Import/Importer.h"

#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

using namespace typed;

static bool speaksOfStep(ExprRef expr) {
  if (auto *cast = expr->as<Cast>())
    return speaksOfStep(cast->operand);
  auto *node = expr->as<Elementwise>();
  return expr->as<StepRef>() || (node && llvm::any_of(node->operands, speaksOfStep));
}

static bool isOfStepsAndSizes(ExprRef expr) {
  if (auto *cast = expr->as<Cast>())
    return isOfStepsAndSizes(cast->operand);
  auto *node = expr->as<Elementwise>();
  return expr->as<StepRef>() || expr->as<Constant>() || expr->as<DimValue>() ||
         (node && llvm::all_of(node->operands, isOfStepsAndSizes));
}

bool isStepNumber(ExprRef expr) { return speaksOfStep(expr) && isOfStepsAndSizes(expr); }

unsigned stepSubscript(const Subscript &subscript) {
  return llvm::find_if(subscript.indices, isStepNumber) - subscript.indices.begin();
}

/// The source with dimension `from` as dimension `to`, the others in their order.
Value Importer::moved(Value source, unsigned from, unsigned to, Location at) {
  if (from == to)
    return source;
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> permutation;
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    if (dimension != from)
      permutation.push_back(dimension);
  permutation.insert(permutation.begin() + to, from);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, at, source), moved;
  for (int64_t dimension : permutation)
    moved.push_back(sizes[dimension]);
  Value out = tensor::EmptyOp::create(builder, at, moved, type.getElementType());
  return linalg::TransposeOp::create(builder, at, source, out, permutation)->getResult(0);
}

/// `base` at `place` of a dimension, which lacks that.
Value Importer::step(ExprRef base, unsigned dimension, ExprRef place) {
  Value source = tensor(base);
  OpBuilder::InsertionGuard guard(builder);
  if (bodyOwner)
    builder.setInsertionPoint(bodyOwner);
  Location at = location(base->range);
  computeSizes(place);
  Value list = moved(source, dimension, 0, at);
  auto type = cast<RankedTensorType>(list.getType());
  auto element = RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
  return model::ElementOp::create(builder, at, element, list, number(place));
}

void Importer::scan(const Scan &scan) {
  Location at = location(scan.range);
  SmallVector<Value> initial;
  for (const Loop::Carried &carried : scan.carried)
    initial.push_back(tensor(carried.initial));
  for (const Scan::Stacked &stacked : scan.stacked) {
    Shape shape = stacked.value->type.shape;
    shape.insert(shape.begin(), scan.counter->count);
    initial.push_back(empty(stacked.value->type.element, shape, at));
  }
  Value zero = size(Dim(0), at), one = size(Dim(1), at), count = size(scan.counter->count, at);
  auto loop = scf::ForOp::create(builder, at, zero, count, one, initial);
  loop->setAttr(model::scanAttrName, builder.getStringAttr(scan.backward ? model::scansBackward : model::scansForward));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    scopes.emplace_back();
    Value turn = loop.getInductionVar();
    if (scan.backward) {
      Value last = arith::SubIOp::create(builder, at, count, one);
      turn = arith::SubIOp::create(builder, at, last, turn);
    }
    scopes.back().counters[scan.counter] = turn;
    for (auto [carried, argument] : llvm::zip(scan.carried, loop.getRegionIterArgs()))
      locals[carried.argument] = argument;
    statements(*scan.body);
    SmallVector<Value> next;
    for (const Loop::Carried &carried : scan.carried)
      next.push_back(tensor(carried.next));
    for (const Scan::Stacked &stacked : scan.stacked) {
      Value list = loop.getRegionIterArg(next.size());
      next.push_back(model::WithElementOp::create(builder, at, list.getType(), tensor(stacked.value), list, turn));
    }
    scf::YieldOp::create(builder, at, next);
    scopes.pop_back();
  }
  for (auto [carried, result] : llvm::zip(scan.carried, loop.getResults()))
    locals[carried.result] = result;
  for (auto [number, stacked] : llvm::enumerate(scan.stacked))
    locals[stacked.result] = moved(loop.getResult(scan.carried.size() + number), 0, stacked.axis, at);
}

} // namespace attnc
