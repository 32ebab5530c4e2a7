#include "compiler/Derive/Incremental/PositionAnalysis.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attnc {

PositionFact PositionFact::join(const PositionFact &other) const {
  return {std::max(along, other.along), reach.join(other.reach), fromArguments || other.fromArguments,
          perRow || other.perRow};
}

//===-------------------------------------------- facts -------------------------------------------------------===//

LogicalResult PositionAnalysis::mixes(Operation *op, const Twine &why) {
  return op->emitError() << "position i along `" << dims.alongName << "` " << why;
}

/// Checks that positions are one dimension, and that no other size depends on them.
LogicalResult PositionAnalysis::checkDims(Operation *op, Value tensor) {
  if (dims.find(tensor, dims.alongSymbol).size() > 1)
    return mixes(op, "would be computed for all pairs of positions: this tensor has two such dimensions; inside of "
                     "`attend` the pairs are not stored");
  for (const SizeExpr &extent : dims.shapes.shape(tensor))
    if (extent.mentions(dims.alongSymbol) && !(extent == SizeExpr::symbol(dims.alongSymbol)))
      return mixes(op, "is not an index of this tensor, which has " + dims.shapes.text(extent) + " elements along one");
  return success();
}

/// A time step has no values of the last position.
LogicalResult PositionAnalysis::checkEnd(Operation *op, Value value) {
  if (fact(value).along == PositionFact::Along::End && dims.scanAround(op))
    return mixes(op, "depends on the last one: this reads it");
  return success();
}

/// A tensor with two dimensions of rows has elements that belong to two rows.
LogicalResult PositionAnalysis::checkRows(Operation *op, Value value) {
  if (dims.rowSymbol && fact(value).along != PositionFact::Along::Nothing &&
      dims.find(value, *dims.rowSymbol).size() > 1)
    return mixes(op, "of one row would depend on the others: this tensor has two dimensions `" + dims.rowName + "`");
  return success();
}

void PositionAnalysis::setFact(Value value, PositionFact fact) {
  if (dims.positionDim(value))
    fact.along = std::max(fact.along, PositionFact::Along::Positions);
  if (cached.contains(value) && dims.hasRows() && !dims.rowDim(value))
    fact.perRow = true;
  // Values of a time step are computed in it, although the arguments alone may determine them.
  if (fact.isGiven() && dims.scanAround(value.getParentBlock()->getParentOp()))
    fact.along = PositionFact::Along::TimeStep;
  facts[value] = fact;
}

void PositionAnalysis::cache(Value value, Reach reach) {
  auto [entry, isNew] = cached.insert({value, reach});
  changed |= isNew;
  entry->second = entry->second.join(reach);
}

//===-------------------------------------------- ops ---------------------------------------------------------===//

LogicalResult PositionAnalysis::run() {
  do {
    changed = false;
    for (BlockArgument argument : function.getArguments()) {
      if (failed(checkDims(function, argument)))
        return failure();
      bool hasPositions = dims.positionDim(argument).has_value();
      // The positions of a call differ between rows, even of arguments that all rows of f share.
      setFact(argument, {.reach = hasPositions ? Reach::pointwise() : Reach::nothing(),
                         .fromArguments = !hasPositions,
                         .perRow = hasPositions && dims.hasRows() && !dims.rowDim(argument)});
    }
    if (failed(analyse(function.front())))
      return failure();
  } while (changed);
  return success();
}

LogicalResult PositionAnalysis::analyse(Block &block) {
  for (Operation &op : block.without_terminator())
    if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>) && failed(analyse(op)))
      return failure();
  return success();
}

LogicalResult PositionAnalysis::analyse(Operation &op) {
  for (Value result : op.getResults())
    if (isa<RankedTensorType>(result.getType()) && failed(checkDims(&op, result)))
      return failure();
  if (failed(applyRule(op)))
    return failure();
  for (Value result : op.getResults()) {
    if (fact(result).along == PositionFact::Along::TimeStep && dims.positionDim(result))
      return mixes(&op, "would be computed for all positions in each time step of the scan");
    if (failed(checkEnd(&op, result)) || failed(checkRows(&op, result)))
      return failure();
  }
  return success();
}

LogicalResult PositionAnalysis::applyRule(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<linalg::GenericOp, attn::AttendOp, linalg::FillOp, tensor::ExtractSliceOp, tensor::ConcatOp,
            model::ElementOp, model::WithElementOp>([&](auto each) { return rule(each); })
      .Case([&](tensor::ExpandShapeOp op) { return reshapeRule(op, op.getResult(), op.getReassociationIndices()); })
      .Case([&](tensor::CollapseShapeOp op) { return reshapeRule(op, op.getSrc(), op.getReassociationIndices()); })
      .Case([&](scf::ForOp loop) { return dims.isAlongPositions(loop) ? scanRule(loop) : loopRule(loop); })
      .Case<tensor::EmptyOp, model::GetOp>([&](Operation *result) {
        setFact(result->getResult(0), {});
        return success();
      })
      .Case<linalg::TransposeOp, tensor::CastOp>([&](Operation *view) {
        setFact(view->getResult(0), fact(view->getOperand(0)));
        return success();
      })
      .Default([&](Operation *other) {
        return mixes(other, "may depend on others: the effect of " + other->getName().getStringRef() + " is unknown");
      });
}

} // namespace attnc
